// SPDX-License-Identifier: MIT
//
// Policy `static`: the machine in fixed parts, as a person would plan it.
#pragma once

#include "simulation/scenario/scenario.hpp"
#include "simulation/world/decider.hpp"

namespace simulation {

/// Scenario::parts. Without it: as many as programs would be there at once if each had the machine
/// to itself, so that nothing is planned for programs that are late. At least 1, at most the CPUs
/// of the pool. May run each program alone.
[[nodiscard]] std::uint32_t number_of_parts(const Scenario& scenario);

/// The pool in so many parts, whole cores first. A program that comes takes the part in which
/// fewest are, and keeps it.
[[nodiscard]] std::function<Decide> begin_parts(const Scenario& scenario);

}  // namespace simulation
