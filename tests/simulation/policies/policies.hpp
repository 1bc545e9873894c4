// SPDX-License-Identifier: MIT
//
// Policies by name: the real one, a naive one, baselines to compare with, and mutants, which are
// the real one with a mistake that the invariants must find.
#pragma once

#include "simulation/world/decider.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace simulation {

struct NamedPolicy {
        std::string_view name;
        std::string_view meaning;
        Decider decider;
        std::string_view caught_by = {};  ///< the invariant that must find it; none: not a mutant
        /// It promises nothing: neither invariants nor expectations are checked.
        bool is_baseline = false;
        void (*prepare)(Scenario&) = nullptr;  ///< changes the scenario first; nullptr: nothing

        [[nodiscard]] Scenario prepared(const Scenario& scenario) const;
};

/// "fair" and "naive".
[[nodiscard]] std::span<const NamedPolicy> policies();

/// The real policy with its answer tampered with.
[[nodiscard]] std::span<const NamedPolicy> mutants();

/// The real policy, told something wrong, as by a broken registry.
[[nodiscard]] std::span<const NamedPolicy> registry_mutants();

/// All of these.
[[nodiscard]] std::vector<NamedPolicy> known_policies();

/// Empty: there is none of that name.
[[nodiscard]] std::optional<NamedPolicy> find_policy(std::string_view name);

}  // namespace simulation
