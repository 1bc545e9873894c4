// SPDX-License-Identifier: MIT
//
// The CPU time that a process has used so far.
#pragma once

#include "probe/file_reader.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace governor::probe {

/// Not thread-safe.
class ProcessClock {
public:
        /// `root` is empty for this machine: there the kernel's clock of the process is read, which
        /// may be done for every process, hidden ones (hidepid=) too. Below any other root
        /// /proc/PID/stat is read, in clock ticks.
        explicit ProcessClock(std::string root);

        /// All threads, dead ones included; no children. Never goes backwards while the pid is the
        /// same process's. Returns 0 or a negative errno; -ESRCH: it has gone. 0.4 us on this
        /// machine, 7 us below a root.
        [[nodiscard]] int read(std::uint32_t pid, std::chrono::nanoseconds& ret_cpu_time);

private:
        std::string root_;
        std::uint64_t ticks_per_second_;
        FileReader files_;
};

/// `ticks_per_second` as of sysconf(_SC_CLK_TCK).
[[nodiscard]] std::chrono::nanoseconds ticks_to_time(std::uint64_t ticks,
                                                     std::uint64_t ticks_per_second);
/// Whole ticks; 0 where `time` is negative.
[[nodiscard]] std::uint64_t time_to_ticks(std::chrono::nanoseconds time,
                                          std::uint64_t ticks_per_second);

}  // namespace governor::probe
