// SPDX-License-Identifier: MIT
//
// One run with everything that is said about it.
#pragma once

#include "simulation/policies/policies.hpp"
#include "simulation/report/figures.hpp"
#include "simulation/report/trace.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace simulation {

struct RunReport {
        std::string policy;
        Trace trace;
        Figures figures;
        /// Expectations that were not met and invariants that were broken: one sentence each.
        std::vector<std::string> failures;
        /// Names of these invariants, and "expectations"; empty: nothing was checked.
        std::optional<std::set<std::string, std::less<>>> broken;
};

/// Runs `scenario`, which the policy has prepared, with a recorder, a meter and the invariants.
/// Without the invariants and expectations where `is_checked` is false, or nothing is promised.
[[nodiscard]] RunReport report(const Scenario& scenario, const NamedPolicy& policy,
                               bool is_checked = true);

/// The parts of Scenario::expected and Scenario::expected_grants that are not so. `file` is what
/// messages name.
[[nodiscard]] std::vector<std::string> unmet(const Scenario& scenario, const Figures& figures,
                                             const Trace& trace);

}  // namespace simulation
