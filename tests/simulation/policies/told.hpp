// SPDX-License-Identifier: MIT
//
// What a policy is told instead of what the registry says. Pure.
#pragma once

#include "policy/fair/snapshot.hpp"

#include <algorithm>

namespace simulation {

/// As it is, but for what `change` does to each client.
template <class Change>
[[nodiscard]] governor::policy::fair::Snapshot
with_clients(const governor::policy::fair::Snapshot& snapshot, Change change) {
        auto told = snapshot;
        std::ranges::for_each(told.clients, change);
        return told;
}

}  // namespace simulation
