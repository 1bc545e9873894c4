// SPDX-License-Identifier: MIT
//
// How many random cases the tests of policies try.
#pragma once

#include <cstdint>

namespace simulation {

/// GOVERNOR_TURNS_SEEDS is 1,000, and 10 under a sanitizer.
constexpr std::uint64_t kCases = GOVERNOR_TURNS_SEEDS;
/// So few cases say little of a mean.
constexpr bool kMeansCount = kCases >= 1000;

}  // namespace simulation
