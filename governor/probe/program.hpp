// SPDX-License-Identifier: MIT
//
// Finds the program that a process runs.
#pragma once

#include <cstdint>
#include <string>

namespace governor::probe {

/// The name of its first thread as the kernel has it, at most 15 bytes; a process may change it.
/// Below `root`, which is empty for this machine. Empty: hidden (hidepid=), or gone. About 5 us.
[[nodiscard]] std::string read_program_name(const std::string& root, std::uint32_t pid);

/// The path of the file that it runs. Empty: not to be seen, as that of another user's process is
/// not without CAP_SYS_PTRACE; or gone. About 2 us.
[[nodiscard]] std::string read_executable(const std::string& root, std::uint32_t pid);

/// May this process see the executables of other users' processes (CAP_SYS_PTRACE)?
[[nodiscard]] bool sees_others_executables();

/// The nice value of the process's first thread; 0 where it cannot be seen. Works for this machine
/// only.
[[nodiscard]] int read_nice(std::uint32_t pid);

}  // namespace governor::probe
