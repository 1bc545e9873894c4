// SPDX-License-Identifier: MIT
//
// From the CPUs that clients should have to those that they can have now. A client that is above
// gives CPUs up; a client that is below gets those that are really free.
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
/// may still run on it. CPUs that are given up inside a region, or were before, come free at the
/// holder's next region. Nobody waits for CPUs that a rigid holder will not leave.
[[nodiscard]] std::vector<Holding> hand_over(const Snapshot& snapshot, const Classes& classes,
                                             const std::vector<Share>& shares);

}  // namespace governor::policy::fair
