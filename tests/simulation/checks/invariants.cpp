// SPDX-License-Identifier: MIT
// One run, all of them.
#include "simulation/checks/invariants.hpp"

namespace simulation {

std::vector<Violation> broken_invariants(const Scenario& scenario, const Decider& decider) {
        Invariants invariants;
        run(scenario, {decider, invariants.observers()});
        return invariants.violations();
}

}  // namespace simulation
