// SPDX-License-Identifier: MIT
//
// All invariants together.
#pragma once

#include "simulation/checks/beliefs.hpp"
#include "simulation/checks/invariant.hpp"
#include "simulation/checks/occupancy.hpp"
#include "simulation/checks/owners.hpp"
#include "simulation/checks/reasons.hpp"
#include "simulation/checks/shares.hpp"
#include "simulation/checks/soundness.hpp"
#include "simulation/checks/steadiness.hpp"
#include "simulation/checks/topology.hpp"
#include "simulation/world/run.hpp"

#include <vector>

namespace simulation {

class Invariants {
public:
        /// To be put into RunOptions::observers; good as long as this.
        [[nodiscard]] std::vector<Observer*> observers() {
                return {&soundness_, &occupancy_, &shares_,   &steadiness_,
                        &beliefs_,   &reasons_,   &topology_, &owners_};
        }
        [[nodiscard]] const std::vector<Violation>& violations() const {
                return violations_.list();
        }

private:
        Violations violations_;
        Soundness soundness_{violations_};
        Occupancy occupancy_{violations_};
        Shares shares_{violations_};
        Steadiness steadiness_{violations_};
        Beliefs beliefs_{violations_};
        Reasons reasons_{violations_};
        Topology topology_{violations_};
        Owners owners_{violations_};
};

/// Runs `scenario` and returns what was broken.
[[nodiscard]] std::vector<Violation> broken_invariants(const Scenario& scenario,
                                                       const Decider& decider);

}  // namespace simulation
