// SPDX-License-Identifier: MIT
//
// The fair policy: weighted max-min shares over sets of CPUs, handed over as cores become free.
#pragma once

#include "policy/fair/decision.hpp"
#include "policy/fair/snapshot.hpp"

namespace governor::policy::fair {

/// Pure and deterministic. Every client gets at least one thread. docs/policy.md is the manual.
[[nodiscard]] Decision decide(const Settings& settings, const Snapshot& snapshot);

}  // namespace governor::policy::fair
