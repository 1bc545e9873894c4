// SPDX-License-Identifier: MIT
//
// To which CPUs the threads of a program are bound by a grant. Pure.
#pragma once

#include "cpu_mask.hpp"

#include <cstdint>

namespace threadcount {

/// What a grant of the set `granted` with `flags` (GOVERNOR_GRANT_...) binds a program to that uses
/// `threads` of it and may run on `initial`. Never wider than that, and all of it where less is of
/// no use: the set says nothing, has fewer CPUs than the program has threads, or is one that others
/// use, too.
[[nodiscard]] CpuMask bound_mask(const CpuMask& initial, const CpuMask& granted,
                                 std::uint32_t flags, std::uint32_t threads);

}  // namespace threadcount
