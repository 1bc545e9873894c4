// SPDX-License-Identifier: MIT
//
// The number of CPUs that this process could use if nobody governed it.
#pragma once

#include <cstdint>

namespace threadcount {

/// CPUs that at least one thread of this process may run on. A runtime that binds its threads
/// (OMP_PROC_BIND) narrows single masks, not the union. A process that was bound to its grant
/// counts as if it were not. At least 1.
[[nodiscard]] std::uint32_t allowed_cpus();

/// The smallest CPU quota of this process's cgroup and all its ancestors, in CPUs, rounded up:
/// cpu.max (v2), cpu.cfs_quota_us / cpu.cfs_period_us (v1). 0: there is none. Files are looked
/// up below `root` ("" for this machine).
[[nodiscard]] std::uint32_t quota_cpus(const char* root);

/// min(allowed_cpus(), quota_cpus()), at least 1.
[[nodiscard]] std::uint32_t fallback_threads();

/// "max 100000" or "250000 100000" -> CPUs rounded up; 0: no quota, or not understood.
[[nodiscard]] std::uint32_t parse_cpu_max(const char* text);

}  // namespace threadcount
