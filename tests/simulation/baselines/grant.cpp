// SPDX-License-Identifier: MIT
// All programs keep to a maximum.
#include "simulation/baselines/grant.hpp"

#include <algorithm>

namespace simulation {

governor::policy::fair::Grant grant_of(const governor::policy::fair::Client& client,
                                       const governor::policy::CpuMask& cpus,
                                       std::uint32_t threads) {
        governor::policy::fair::Grant grant;
        grant.id = client.id;
        grant.cpus = cpus & client.allowed;
        if (grant.cpus.empty())
                grant.cpus = client.allowed;
        grant.threads = std::min({threads, grant.cpus.count(), client.max.value_or(threads)});
        grant.threads = std::max(grant.threads, 1U);
        grant.shared = true;
        grant.reason.share = grant.threads;
        return grant;
}

}  // namespace simulation
