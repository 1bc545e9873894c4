// SPDX-License-Identifier: MIT
//
// Which CPUs the demonstration may have, and how busy others keep them.
#pragma once

#include "probe/proc_stat.hpp"

#include <cstdint>
#include <vector>

namespace ctl::demo {

using CpuTicks = std::vector<governor::probe::CpuTicks>;

struct Usage {
        std::vector<std::uint32_t> cpus;  ///< in order
        double busy = 0;                  ///< of these: how many CPUs others use together
};

/// At most `most` of the CPUs in `allowed`: those that were idle most between two readings. The
/// time that a CPU waits for a disk counts as idle. Pure.
[[nodiscard]] Usage idlest(const CpuTicks& before, const CpuTicks& after,
                           const std::vector<std::uint32_t>& allowed, std::size_t most);

}  // namespace ctl::demo
