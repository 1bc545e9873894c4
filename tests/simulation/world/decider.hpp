// SPDX-License-Identifier: MIT
//
// The policy that a simulated governor decides by: the real one, another one, or one with a
// mistake.
#pragma once

#include "policy/fair/decide.hpp"

#include <functional>

namespace simulation {

struct Scenario;

using Decide = governor::policy::fair::Decision(const governor::policy::fair::Settings&,
                                                const governor::policy::fair::Snapshot&);

struct Decider {
        Decide* decide = governor::policy::fair::decide;
        /// Makes the policy's input from the registry's word, as `decide` does it, so that
        /// observers can know it. nullptr: the policy is told what the registry says.
        governor::policy::fair::Snapshot (*told)(const governor::policy::fair::Snapshot&) = nullptr;
        /// Makes the function that decides in one run, where that depends on the scenario or on
        /// earlier decisions. nullptr: `decide` does.
        std::function<Decide> (*begin)(const Scenario&) = nullptr;
};

}  // namespace simulation
