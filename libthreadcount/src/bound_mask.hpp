// SPDX-License-Identifier: MIT
//
// To which CPUs the threads of a program are bound by a grant. Pure.
#pragma once

#include "cpu_mask.hpp"

#include <cstdint>

namespace threadcount {

/// The CPUs that a grant of the set `granted` with `flags` (GOVERNOR_GRANT_...) binds a program to.
/// The program uses `threads` of the grant and may run on `initial`. The result is never wider than
/// `initial`. It is all of `initial` where less is of no use. Such a set says nothing, has fewer
/// CPUs than the program has threads, or is one that others use, too.
[[nodiscard]] CpuMask bound_mask(const CpuMask& initial, const CpuMask& granted,
                                 std::uint32_t flags, std::uint32_t threads);

}  // namespace threadcount
