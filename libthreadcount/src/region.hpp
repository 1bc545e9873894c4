// SPDX-License-Identifier: MIT
//
// Regions that threads of the process have begun.
#pragma once

#include <cstdint>

namespace threadcount {

/// The calling thread starts the stop watch. It times the region for which the thread has asked
/// last, if that is one of the process's handle whose end is not told.
void watch_region();
/// The calling thread has stopped the watch, which says that the region took so long.
void watched_region(std::uint64_t took_ns);

/// In a forked child: they were its parent's.
void forget_regions();

}  // namespace threadcount
