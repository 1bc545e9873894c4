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
        /// What the policy is told instead of what the registry says, as `decide` does it: so that
        /// observers can know it. nullptr: it is told what the registry says.
        governor::policy::fair::Snapshot (*told)(const governor::policy::fair::Snapshot&) = nullptr;
        /// What decides in one run, where that depends on the scenario or on what was decided
        /// before. nullptr: `decide` does.
        std::function<Decide> (*begin)(const Scenario&) = nullptr;
};

}  // namespace simulation
