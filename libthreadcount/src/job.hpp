// SPDX-License-Identifier: MIT
//
// Which parallel job this program is a part of.
#pragma once

#include "variable.hpp"

#include <cstddef>
#include <cstdint>

namespace threadcount {

inline constexpr std::size_t kNameBytes = 64;  ///< of jobs and labels, the 0 at the end included

enum class JobName : std::uint8_t {
        None,  ///< nobody says that it is a part of one
        Named,
        Unnamed  ///< a rank of one whose launcher gives it no name
};

/// What the user, else who starts the programs of a job, calls it. The steps of a Slurm job run one
/// beside the other, each is a job.
[[nodiscard]] JobName find_job(GetVariable get, char (&ret_job)[kNameBytes]);

/// A name for the job of a rank that has none: Hydra (MPICH, Intel MPI, MVAPICH) makes each rank
/// the leader of a session and starts all of a host from one process, its proxy. "" where that is
/// not known. Reads two files of /proc.
void name_by_launcher(char (&ret_job)[kNameBytes]);

/// Cut to fit; bytes that are not printable ASCII become `_`.
void copy_printable(const char* text, char (&ret_name)[kNameBytes]);

}  // namespace threadcount
