// SPDX-License-Identifier: MIT
//
// Batch programs of one account run one after the other. Programs that share finish together.
// Taking turns, n programs finish on average after (n + 1) / 2n of that time, if twice the CPUs
// make them twice as fast.
#pragma once

#include "policy/fair/capacity.hpp"
#include "policy/fair/shares.hpp"
#include "policy/fair/snapshot.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace governor::policy::fair {

struct Turns {
        std::vector<std::uint32_t> behind;  ///< by client: gangs before it; 0: it is not parked
        /// By client: it has no more because fewer are tried. 0: no such reason.
        std::vector<std::uint32_t> most;
        std::vector<GangId> have_one;
        /// The speed of each of these, over the one that it would have on all that its account has
        /// for batch programs: so much of a second counts as served.
        std::vector<double> paces;
        std::optional<TimePoint> again;  ///< time alone changes it then
};

/// Deals out anew what the batch programs of each account are entitled to together, to one gang
/// after the other. The next CPU goes where it shortens the sum of their times most. A program that
/// gets none is parked, but for one where nothing is known of them. A program that is tried on
/// fewer while others wait has these, and the rest of its own is left free. The try is over before
/// anybody else could have gone to work there. A gang that has waited for `turn_max_wait` has a CPU
/// for each of its clients before all others, as long as the first gang has half of them all.
/// Shares of accounts stay as they are. The shares of these clients do, too: those without a gang,
/// idle and light ones, and those that are charged (unless they yield) or guaranteed CPUs. They
/// count as having their turn, and so do all clients under `turns` off.
[[nodiscard]] Turns take_turns(const Settings& settings, const Snapshot& snapshot,
                               const Classes& classes, std::vector<Share>& shares);

}  // namespace governor::policy::fair
