// SPDX-License-Identifier: MIT
//
// The order in which gangs have their turns.
#pragma once

#include "policy/fair/snapshot.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace governor::policy::fair {

/// Nothing is known of its end but that gangs of its kind are as long as it is. Not where users
/// wait for each other: one that starts programs of a kind again and again would keep its place.
[[nodiscard]] bool has_alike(const Settings& settings, const Gang& gang);

/// The time that it is taken to need its turn for: what remains, where that is known. Otherwise it
/// is the quantum that the gang is in, `turn_quantum` at first and four times the one before each
/// time. A gang that has run for long will run for long, on average. 0 on trial.
[[nodiscard]] std::chrono::nanoseconds expected_need(const Settings& settings, const Gang& gang);

/// The gangs that are named, in the order of their turns. The one that needs least comes first
/// (shortest remaining time: L. Schrage, "A Proof of the Optimality of the Shortest Remaining
/// Processing Time Discipline", Operations Research 16 (1968)); of equals the oldest, whoever has
/// the turn. Each gang of a kind needs as much as the least served: the one that is ahead ends
/// first. Yielding gangs that are overdue come before all others: first the one that has its turn,
/// then the one that has waited longest.
[[nodiscard]] std::vector<std::size_t> turn_order(const Settings& settings,
                                                  std::span<const Gang> gangs,
                                                  std::vector<std::size_t> which, TimePoint now);

/// The start of its wait, if it does not run from now on. The wait of a gang that yields ends when
/// it has had its turn for `quantum` in all. Less is left out, as others may lend it theirs for a
/// moment again and again.
[[nodiscard]] TimePoint waits_since(const Gang& gang, std::chrono::milliseconds quantum,
                                    TimePoint now);

/// It yields and has waited for Settings::turn_max_wait; or had, and has not had its turn for
/// Settings::turn_quantum in all yet.
[[nodiscard]] bool is_overdue(const Settings& settings, const Gang& gang, TimePoint now);

/// It has waited for so long that it has a thread, turn or not. One that yields has a turn instead:
/// what it would start beside others is more than a thread.
[[nodiscard]] bool is_out_of_patience(const Settings& settings, const Gang& gang, TimePoint now);

/// The next moment at which time alone changes the place of a gang that has its turn, and is served
/// for `pace` of it.
[[nodiscard]] std::optional<TimePoint> next_review(const Settings& settings, const Gang& gang,
                                                   double pace, TimePoint now);

}  // namespace governor::policy::fair
