// SPDX-License-Identifier: MIT
//
// Models what threads on different CPUs take from each other: the units of a core, and memory
// bandwidth.
#pragma once

#include "simulation/scenario/scenario.hpp"

#include <span>
#include <vector>

namespace simulation {

/// Work per CPU time of each CPU, by its number, where they are as busy as `busy` says. A core that
/// is at most once busy in all slows nobody down: threads that may choose run on idle cores first,
/// as under Linux.
[[nodiscard]] std::vector<double> core_speeds(const MachineShape& shape,
                                              std::span<const double> busy);

/// The speed of threads that take memory bandwidth, where all together want `wanted` of the
/// machine's.
[[nodiscard]] double memory_speed(double wanted);

}  // namespace simulation
