// SPDX-License-Identifier: MIT
//
// What programs that share by time are entitled to, on average. Unlike CPUs, time can be divided
// evenly whatever their numbers.
#pragma once

#include "policy/fair/capacity.hpp"
#include "policy/fair/shares.hpp"
#include "policy/fair/snapshot.hpp"

#include <cstddef>
#include <vector>

namespace governor::policy::fair {

/// CPUs by gang, each above 0; `gangs` has the clients of each. The CPUs that `shares` gives to
/// gangs are divided anew where these may replace each other: where they may use the same CPUs, and
/// no control group or maximum of a tree is in the way. Accounts have as much as each other then,
/// with what their other clients have and their foreign load. Inside of one, trees and programs
/// have what their weights say; a gang with a minimum keeps what `shares` gives to it. No gang has
/// more than its threads. Those of one account have kLeastShare together at least. Costs
/// O(clients).
[[nodiscard]] std::vector<double> round_shares(const Snapshot& snapshot, const Classes& classes,
                                               const std::vector<Share>& shares,
                                               const std::vector<std::vector<std::size_t>>& gangs);

inline constexpr double kLeastShare = 0.5;

}  // namespace governor::policy::fair
