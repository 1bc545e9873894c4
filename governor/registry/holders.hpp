// SPDX-License-Identifier: MIT
//
// Grants by CPU: who is to run where. Pure.
#pragma once

#include "registry/clients.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace governor::registry {

/// More holders of one CPU than these are not told: there may be thousands of programs on one.
inline constexpr std::size_t kMostHolders = 16;

/// CPU -> the programs that were granted it, in the order in which they joined, at most
/// kMostHolders. CPUs that nobody holds are not in it. O(clients x CPUs).
[[nodiscard]] std::map<std::uint32_t, std::vector<policy::fair::ProgramId>>
holders(const Clients& clients);

/// The CPUs that somebody holds. O(clients x CPUs / 64).
[[nodiscard]] policy::CpuMask held_cpus(const Clients& clients);

}  // namespace governor::registry
