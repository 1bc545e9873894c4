// SPDX-License-Identifier: MIT
//
// The CPUs that threads may run on.
#pragma once

#include <cstdint>
#include <libthreadcount/src/cpu_mask.hpp>
#include <optional>
#include <string>
#include <sys/types.h>

namespace ctl::run {

using threadcount::CpuMask;

/// The affinity of thread `tid`, 0: the calling one. Empty: it has ended, or the machine has more
/// than threadcount::kMostCpus CPUs.
[[nodiscard]] std::optional<CpuMask> affinity_of(pid_t tid);
/// False: it has ended, it is another user's, or its cpuset has none of them.
bool set_affinity(pid_t tid, const CpuMask& cpus);

/// "0-3,8". Pure.
[[nodiscard]] std::string list_of(const CpuMask& cpus);

}  // namespace ctl::run
