// SPDX-License-Identifier: MIT
//
// Many random scenarios, one after the other.
#pragma once

#include "simulation/command/options.hpp"

namespace simulation {

/// Prints the broken ones, with how to look at them. Returns the exit code.
int run_seeds(const SeedRange& seeds, const NamedPolicy& policy);

/// Stops at the first seed that shows the mistake: the policy breaks NamedPolicy::caught_by there,
/// and the real one breaks nothing. Fails if there is no such seed.
int run_until_broken(const SeedRange& seeds, const NamedPolicy& policy);

}  // namespace simulation
