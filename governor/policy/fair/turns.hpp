// SPDX-License-Identifier: MIT
//
// Batch programs of one account one after the other: n that share finish together, n in turn
// finish on average after (n + 1) / 2n of that time, if twice the CPUs make them twice as fast.
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
        /// How fast each of these goes, over what it would on all that its account has for batch
        /// programs: so much of a second counts as served.
        std::vector<double> paces;
        std::optional<TimePoint> again;  ///< time alone changes it then
};

/// Deals out anew what the batch programs of each account are entitled to together, to one gang
/// after the other: the next CPU goes where it shortens the sum of their times most. Who gets none
/// is parked. Who is tried on fewer while others wait has these, and the rest of what is its own is
/// left free: that is over before anybody else could have gone to work there. Who has waited for
/// `turn_max_wait` has a CPU for each of its clients before all others, as long as the first gang
/// has half of them all. Shares of
/// accounts stay as they are, and so do those of clients without a gang, of idle and of light ones,
/// and of those that are charged (unless they yield) or guaranteed CPUs; these count as having
/// their turn, and so do all under `turns` off.
[[nodiscard]] Turns take_turns(const Settings& settings, const Snapshot& snapshot,
                               const Classes& classes, std::vector<Share>& shares);

}  // namespace governor::policy::fair
