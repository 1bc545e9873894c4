// SPDX-License-Identifier: MIT
//
// Policy `threshold`, as L. Akyil has it ("Managing Application Thread Use", 2008).
#pragma once

#include "simulation/world/decider.hpp"

namespace simulation {

/// At its start and every 10 s a program asks, and is told: what it has and what is idle, at most
/// the CPUs that it may use. Programs that ask at the same time are told of the same idle CPUs.
[[nodiscard]] std::function<Decide> begin_threshold(const Scenario& scenario);

}  // namespace simulation
