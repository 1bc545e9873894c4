// SPDX-License-Identifier: MIT
//
// Finds every program's entitlement in another way than the policy: with real numbers and flows,
// from the snapshot that the policy decides by.
#pragma once

#include "policy/fair/snapshot.hpp"

#include <vector>

namespace simulation {

struct EntitlementOptions {
        /// Clients want no more than the registry thinks; else all that they may have.
        bool by_demand = false;
        /// Foreign load and newcomers take the part of a CPU that they use; else all of it.
        bool foreign_in_parts = false;
};

/// Max-min shares, by client of the snapshot. Each gets one CPU as far as there is room, then its
/// guaranteed CPUs. Then accounts rise together. The clients of an account rise in proportion to
/// their weights, those below their minimum first. Maxima, CPUs that they may use, and quotas bound
/// them. Foreign load takes up to Settings::foreign_max_permyriad of the CPUs that the same clients
/// may use. Newcomers' CPUs are taken likewise. 0 for a client that may use no CPU of the pool.
[[nodiscard]] std::vector<double> entitlements(const governor::policy::fair::Settings& settings,
                                               const governor::policy::fair::Snapshot& snapshot,
                                               const EntitlementOptions& options = {});

/// CPUs that foreign load should be left, as a real number. Here it takes parts of CPUs: with a
/// whole one in each of many small sets, a load of next to nothing would leave programs no share.
[[nodiscard]] double foreign_cpus(const governor::policy::fair::Settings& settings,
                                  const governor::policy::fair::Snapshot& snapshot);

}  // namespace simulation
