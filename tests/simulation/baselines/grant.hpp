// SPDX-License-Identifier: MIT
//
// The decisions of baselines.
#pragma once

#include "policy/fair/decision.hpp"

namespace simulation {

/// On `cpus`, which others may have as well: at most `threads`, and as many as it may run. On all
/// CPUs that it may use where `cpus` are none of them.
[[nodiscard]] governor::policy::fair::Grant grant_of(const governor::policy::fair::Client& client,
                                                     const governor::policy::CpuMask& cpus,
                                                     std::uint32_t threads);

/// A grant for each client; `grant(client)` makes it.
template <class Make>
[[nodiscard]] governor::policy::fair::Decision
decision_of(const governor::policy::fair::Snapshot& snapshot, Make make) {
        governor::policy::fair::Decision decision;
        decision.cpus = snapshot.machine.pool().count();
        for (const auto& client : snapshot.clients)
                decision.grants.push_back(make(client));
        return decision;
}

}  // namespace simulation
