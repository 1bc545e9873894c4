// SPDX-License-Identifier: MIT
//
// The policy that a simulated governor decides by: the real one, or one with a mistake.
#pragma once

#include "policy/fair/decide.hpp"

namespace simulation {

struct Decider {
        governor::policy::fair::Decision (*decide)(const governor::policy::fair::Settings&,
                                                   const governor::policy::fair::Snapshot&) =
                governor::policy::fair::decide;
        /// What the policy is told instead of what the registry says, as `decide` does it: so that
        /// observers can know it. nullptr: it is told what the registry says.
        governor::policy::fair::Snapshot (*told)(const governor::policy::fair::Snapshot&) = nullptr;
};

}  // namespace simulation
