// SPDX-License-Identifier: MIT
// One run, all of them.
#include "simulation/checks/invariants.hpp"

namespace simulation {

std::vector<std::string> broken_invariants(const Scenario& scenario, Arbiter::Decide decide) {
        Invariants invariants;
        run(scenario, {decide, invariants.observers()});
        std::vector<std::string> texts;
        for (const auto& violation : invariants.violations())
                texts.push_back(violation.text(scenario));
        return texts;
}

}  // namespace simulation
