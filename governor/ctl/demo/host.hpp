// SPDX-License-Identifier: MIT
//
// Which CPUs the demonstration may have, and how busy others keep them.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace ctl::demo {

struct CpuTimes {
        std::uint64_t idle = 0;  ///< ticks, those of waiting for a disk included
        std::uint64_t all = 0;
};

/// CPUs and their times as /proc/stat has them. Pure.
[[nodiscard]] std::map<std::uint32_t, CpuTimes> parse_cpu_times(std::string_view stat);

struct Usage {
        std::vector<std::uint32_t> cpus;  ///< in order
        double busy = 0;                  ///< of these: how many CPUs others use together
};

/// At most `most` of the CPUs in `allowed`: those that were idle most between two readings. Pure.
[[nodiscard]] Usage idlest(const std::map<std::uint32_t, CpuTimes>& before,
                           const std::map<std::uint32_t, CpuTimes>& after,
                           const std::vector<std::uint32_t>& allowed, std::size_t most);

}  // namespace ctl::demo
