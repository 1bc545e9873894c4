// SPDX-License-Identifier: MIT
//
// Policies to compare with: what programs would do without a governor, or with a simpler one. Most
// decide by themselves; the last two are the real policy with turns off and on.
#pragma once

#include "simulation/policies/policies.hpp"

namespace simulation {

[[nodiscard]] std::span<const NamedPolicy> baselines();

}  // namespace simulation
