// SPDX-License-Identifier: MIT
//
// How many random cases the tests of policies try.
#pragma once

#include <cstdint>

namespace simulation {

/// 1,000, and 10 under a sanitizer. Tests of what takes long try a part of them, down to a tenth.
constexpr std::uint64_t kCases = GOVERNOR_TURNS_SEEDS;
/// A mean of so few cases as under a sanitizer says little.
constexpr bool kMeansCount = kCases >= 1000;

}  // namespace simulation
