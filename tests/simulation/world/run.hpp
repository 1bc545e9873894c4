// SPDX-License-Identifier: MIT
//
// Runs a scenario.
#pragma once

#include "simulation/world/world.hpp"

#include <span>

namespace simulation {

struct RunOptions {
        Decider decider;
        std::vector<Observer*> observers;
};

/// From one event to the next, in virtual time; deterministic. Ends at Scenario::end, or when
/// everything that ends by itself has ended and nobody else will start.
void run(const Scenario& scenario, const RunOptions& options);

}  // namespace simulation
