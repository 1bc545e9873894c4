// SPDX-License-Identifier: MIT
//
// Computes what the policy should be told, without the registry.
#pragma once

#include "simulation/world/world.hpp"

#include <cstdint>

namespace simulation {

/// The administrator's rules about a program.
struct Ruled {
        std::uint32_t weight = 100;    ///< its own, or a rule's
        std::uint32_t guaranteed = 1;  ///< by a rule
        std::uint32_t max = 0;         ///< the smaller one of its own and a rule's; 0: none
        bool ignored = false;
};

/// Rules as governord.conf(5) has them: all that apply, a later one over an earlier one.
[[nodiscard]] Ruled ruled(const Scenario& scenario, const Program& program);

/// The program never has more; 0: no maximum. A program that asks only once is also held to its
/// first grant.
[[nodiscard]] std::uint32_t true_max(const World& world, const Resident& resident);

/// nullptr: it has gone.
[[nodiscard]] const Resident* resident_of(const World& world, governor::registry::ProgramId id);

/// The maximum of all programs of its tree together. Empty: it is in none, or there is no maximum.
[[nodiscard]] std::optional<std::uint32_t> true_tree_max(const World& world,
                                                         const Resident& resident);

/// Users, trees, weights, limits, CPUs and quotas as the scenario has them. Three things are as the
/// registry believes: the clients' wishes, the recent foreign load, and the CPUs kept free for
/// newcomers. Beliefs and Reasons bound these. The clients' grants are as they were told; the CPUs
/// that they burn and still run on are left out. Good as long as `world` does not change.
[[nodiscard]] governor::policy::fair::Snapshot true_snapshot(const World& world);

}  // namespace simulation
