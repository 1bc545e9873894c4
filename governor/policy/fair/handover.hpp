// SPDX-License-Identifier: MIT
//
// From what clients should have to what they can have now: who is above gives CPUs up, who is below
// gets those that are really free.
#pragma once

#include "policy/fair/capacity.hpp"
#include "policy/fair/placement.hpp"
#include "policy/fair/shares.hpp"
#include "policy/fair/snapshot.hpp"

#include <cstdint>
#include <vector>

namespace governor::policy::fair {

struct Holding {
        CpuMask cpus;
        bool shared = false;  ///< one CPU that is not its own
};

/// By client; empty for those that are not governed. A CPU is free when nobody holds it and nobody
/// may still run on it: CPUs that are given up inside a region, or were before, come free at the
/// holder's next region. What a rigid holder will not leave is not waited for.
[[nodiscard]] std::vector<Holding> hand_over(const Snapshot& snapshot, const Classes& classes,
                                             const std::vector<Share>& shares);

}  // namespace governor::policy::fair
