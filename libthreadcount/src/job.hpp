// SPDX-License-Identifier: MIT
//
// The parallel job that this program is a part of.
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

/// The name that the user gives the job, or else the launcher of its programs. The steps of a Slurm
/// job run one beside the other, each is a job.
[[nodiscard]] JobName find_job(GetVariable get, char (&ret_job)[kNameBytes]);

/// Names the job of a rank that has no name for it. Hydra (MPICH, Intel MPI, MVAPICH) makes each
/// rank the leader of a session and starts all ranks of a host from one process, its proxy. Writes
/// "" where that is not known. Reads two files of /proc.
void name_by_launcher(char (&ret_job)[kNameBytes]);

/// Cut to fit; bytes that are not printable ASCII become `_`.
void copy_printable(const char* text, char (&ret_name)[kNameBytes]);

}  // namespace threadcount
