// SPDX-License-Identifier: MIT
//
// The time that this machine's CPUs have been idle, for a program that nobody tells.
#pragma once

#include <cstdint>

namespace threadcount {

/// Sum over all CPUs since boot, in milliseconds, iowait included; 0: not known. From /proc/stat
/// below `root` ("" for this machine); costs up to a millisecond on large machines.
[[nodiscard]] std::uint64_t idle_time_ms(const char* root);

[[nodiscard]] inline std::uint64_t idle_time_here() { return idle_time_ms(""); }

}  // namespace threadcount
