// SPDX-License-Identifier: MIT
//
// The runtime that a process has loaded, and so whether it may be held to fewer CPUs while it runs.
#pragma once

#include <cstdint>
#include <string_view>
#include <sys/types.h>

namespace ctl::run {

enum class Runtime : std::uint8_t {
        Blocks,  ///< threads that wait for each other sleep: any number of CPUs will do
        Spins,   ///< teams whose threads spin for each other, and crawl on fewer CPUs than threads
        MaySleep,  ///< as the last, but its threads may come to sleep where they lack CPUs
        Sleeps,    ///< they do: any number of CPUs will do
        Follows,   ///< linked with libthreadcount: it has a lease of its own
        Unknown    ///< a static program, or another user's
};

/// The runtime in the text of /proc/PID/maps. Pure. A program that is linked statically shows
/// nothing.
[[nodiscard]] Runtime runtime_in(std::string_view maps);

/// The same of a process whose runtime spins, by these texts of its /proc/PID/maps and
/// /proc/PID/environ: Spins, MaySleep or Sleeps. The object that `run` has preloaded makes threads
/// of gcc's OpenMP sleep where there is no other runtime. It says so in the maps once it sees the
/// program's regions often. Pure.
[[nodiscard]] Runtime runtime_in_fence(std::string_view maps, std::string_view environment);

/// Is the start of an executable that of a program in Go? Its scheduler sleeps, and follows the
/// affinity from Go 1.25 on. Pure; looks at the first 4 KiB.
[[nodiscard]] bool is_go(std::string_view executable);

/// The runtime of a process, as it is now. Some 50 us.
[[nodiscard]] Runtime runtime_of(pid_t pid);

}  // namespace ctl::run
