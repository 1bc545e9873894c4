// SPDX-License-Identifier: MIT
//
// The text of /proc/stat as numbers. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace governor::probe {

/// Counters of one CPU since boot, in clock ticks. They may go backwards: iowait does by
/// design (proc(5)), the others when a CPU goes offline and comes back.
struct CpuTicks {
        std::uint32_t cpu = 0;
        std::uint64_t idle = 0;
        std::uint64_t iowait = 0;
        std::uint64_t nice = 0;   ///< user time of programs with a positive nice value
        std::uint64_t total = 0;  ///< all columns; guest time counts once, as user time
        /// While the hypervisor ran something else; 0 before Linux 2.6.11.
        std::uint64_t stolen = 0;
};

struct StatReading {
        std::vector<CpuTicks> cpus;  ///< online CPUs, ascending
        bool list_ended = false;     ///< a line of another kind followed the last CPU
};

/// Empty if the text is no whole /proc/stat. It may end inside a line, hold no CPU or one twice, or
/// have a CPU's line with fewer than four columns or something that is no number.
[[nodiscard]] std::optional<StatReading> parse_proc_stat(std::string_view text);

}  // namespace governor::probe
