// SPDX-License-Identifier: MIT
//
// What a process runs.
#pragma once

#include <cstdint>
#include <string>

namespace governor::probe {

struct Program {
        std::string name;  ///< as the kernel has it, at most 15 bytes; a process may change it
        std::string executable;  ///< path; empty: not to be seen, as of other users' processes
};

/// Below `root`, which is empty for this machine. What cannot be seen (hidepid=, other users')
/// stays empty. About 10 us.
[[nodiscard]] Program read_program(const std::string& root, std::uint32_t pid);

/// The nice value of the process's first thread; 0 where it cannot be seen. Of this machine only.
[[nodiscard]] int read_nice(std::uint32_t pid);

}  // namespace governor::probe
