// SPDX-License-Identifier: MIT
//
// What the policy should be told, put together without the registry.
#pragma once

#include "simulation/world/world.hpp"

#include <cstdint>

namespace simulation {

/// What the administrator's rules say about a program.
struct Ruled {
        std::uint32_t weight = 100;    ///< its own, or a rule's
        std::uint32_t guaranteed = 1;  ///< by a rule
        std::uint32_t max = 0;         ///< the smaller one of its own and a rule's; 0: none
        bool ignored = false;
};

/// Rules as governord.conf(5) has them: all that apply, a later one over an earlier one.
[[nodiscard]] Ruled ruled(const Scenario& scenario, const Program& program);

/// Never more; 0: none. Of who only asks once, what it was granted first, too.
[[nodiscard]] std::uint32_t true_max(const World& world, const Resident& resident);

/// nullptr: it has gone.
[[nodiscard]] const Resident* resident_of(const World& world, governor::registry::ProgramId id);

/// Of all programs of its tree together. Empty: it is in none, or there is no maximum.
[[nodiscard]] std::optional<std::uint32_t> true_tree_max(const World& world,
                                                         const Resident& resident);

/// Users, trees, weights, limits, CPUs and quotas as the scenario has them. Only what clients want,
/// how much foreign load there was lately, and what is kept free for newcomers, is as the registry
/// believes: Beliefs and Reasons bound that. What
/// they hold is as they were told; what they burn and still run on is left out. Good as long as
/// `world` does not change.
[[nodiscard]] governor::policy::fair::Snapshot true_snapshot(const World& world);

}  // namespace simulation
