// SPDX-License-Identifier: MIT
//
// How many CPUs a program is left while others wait for them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace governor::policy::fair {

/// Of `cpus`, for each of `gangs` programs that are alike: as many as make the sum of their times
/// least. If m of k run side by side, in k / m rounds, on n / m CPUs each, and a part of each is
/// serial (Amdahl), that sum is in proportion to
///
///     (k / m + 1) (1 + K m / n)        K = parallel / serial = the knee
///
/// and least where n / m = sqrt(n K / k): all CPUs for who is linear, and fewer the more there are
/// who wait. `knee` 0: linear, as far as is known. Never less than `enough`, nor more than `cpus`.
[[nodiscard]] std::uint32_t efficient_width(std::uint32_t cpus, std::size_t gangs,
                                            std::uint32_t knee, std::uint32_t enough);

/// The same for one of which nobody knows when it ends: programs that go on again and again end at
/// about the same time, and that is soonest where all run side by side, unless they are linear. No
/// more than an equal part.
[[nodiscard]] std::uint32_t efficient_width_without_end(std::uint32_t cpus, std::size_t gangs,
                                                        std::uint32_t knee, std::uint32_t enough);

}  // namespace governor::policy::fair
