// SPDX-License-Identifier: MIT
//
// Random scenarios.
#pragma once

#include "simulation/scenario/scenario.hpp"

#include <cstdint>

namespace simulation {

/// The same for the same seed, everywhere and always. Mostly small machines with a handful of
/// programs; sometimes anything: 4096 CPUs, hundreds of programs, CPUs that go, liars.
[[nodiscard]] Scenario random_scenario(std::uint64_t seed);

}  // namespace simulation
