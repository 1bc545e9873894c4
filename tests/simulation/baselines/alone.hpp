// SPDX-License-Identifier: MIT
//
// Measures how long programs take that no other program slows down.
#pragma once

#include "simulation/scenario/scenario.hpp"

#include <optional>
#include <vector>

namespace simulation {

/// The time that one copy takes with the machine to itself: all that its maximum, cpuset and quota
/// leave it. Empty: it does not end by itself, or not within kLongest. Costs a run.
[[nodiscard]] std::optional<Time> time_alone(const Scenario& scenario, std::size_t program);

inline constexpr Time kLongest = std::chrono::hours(240);

/// One program of a closed batch.
struct Job {
        std::size_t program = 0;  ///< index in Scenario::programs
        double work_s = 0;        ///< on one CPU
        Speedup speedup;
};

/// A closed batch: all start at once, nothing but regions, every end is known, and nothing but the
/// number of CPUs limits any program. One row per copy; empty: the scenario is no such batch.
[[nodiscard]] std::vector<Job> closed_batch(const Scenario& scenario);

}  // namespace simulation
