// SPDX-License-Identifier: MIT
//
// What everybody is entitled to, found in another way than by the policy: with real numbers and
// flows, from the snapshot that the policy decides by.
#pragma once

#include "policy/fair/snapshot.hpp"

#include <vector>

namespace simulation {

struct EntitlementOptions {
        /// Clients want no more than the registry thinks; else all that they may have.
        bool by_demand = false;
};

/// Max-min shares, by client of the snapshot: one CPU for each as far as there is room, what is
/// guaranteed, and then accounts rise together, and in each account the clients in proportion to
/// their weights, those below their minimum first; up to maxima, CPUs that they may use, and
/// quotas. Foreign load takes whole CPUs, up to Settings::foreign_max_permyriad of those that the
/// same clients may use; what is kept for newcomers likewise. 0 for who may use no CPU of the pool.
[[nodiscard]] std::vector<double> entitlements(const governor::policy::fair::Settings& settings,
                                               const governor::policy::fair::Snapshot& snapshot,
                                               const EntitlementOptions& options = {});

/// CPUs that foreign load should be left, as a real number.
[[nodiscard]] double foreign_cpus(const governor::policy::fair::Settings& settings,
                                  const governor::policy::fair::Snapshot& snapshot);

}  // namespace simulation
