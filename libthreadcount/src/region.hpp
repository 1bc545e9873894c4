// SPDX-License-Identifier: MIT
//
// Regions that threads of the process have begun.
#pragma once

#include <cstdint>

namespace threadcount {

/// The calling thread has stopped the watch, for the first time since it asked for a region whose
/// end it does not tell. If that is one of the process's handle, the time since the same moment of
/// the region before is told. Nothing is told of the first one, or behind a wait for a turn.
void watched_region(std::uint64_t now_ns);

/// In a forked child: they were its parent's.
void forget_regions();

}  // namespace threadcount
