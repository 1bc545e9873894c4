// SPDX-License-Identifier: MIT
//
// Grants by CPU: the programs that are to run there. Pure.
#pragma once

#include "registry/programs.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace governor::registry {

/// More holders of one CPU than these are not told: there may be thousands of programs on one.
inline constexpr std::size_t kMostHolders = 16;

/// CPU -> the programs that were granted it, in the order in which they joined, at most
/// kMostHolders. CPUs that nobody holds are not in it. O(programs x CPUs).
[[nodiscard]] std::map<std::uint32_t, std::vector<policy::fair::ProgramId>>
holders(const Programs& programs);

/// The CPUs that a program holds. O(programs x CPUs / 64).
[[nodiscard]] policy::CpuMask held_cpus(const Programs& programs);

}  // namespace governor::registry
