// SPDX-License-Identifier: MIT
//
// Changes what a policy is told, in place of the registry's word. Pure.
#pragma once

#include "policy/fair/snapshot.hpp"

#include <algorithm>

namespace simulation {

/// The snapshot after `change` was applied to each client.
template <class Change>
[[nodiscard]] governor::policy::fair::Snapshot
with_clients(const governor::policy::fair::Snapshot& snapshot, Change change) {
        auto told = snapshot;
        std::ranges::for_each(told.clients, change);
        return told;
}

}  // namespace simulation
