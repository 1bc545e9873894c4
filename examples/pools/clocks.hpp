// SPDX-License-Identifier: MIT
//
// What a piece of the program takes: time, and CPU time of all its threads.
#pragma once

#include <ctime>

#include "common/clock.hpp"

namespace examples {

/// Starts when it is made.
class Stopwatch {
public:
        [[nodiscard]] double elapsed_ms() const {
                return (read_clock_ns(CLOCK_MONOTONIC) - wall_ns_) * 1e-6;
        }
        [[nodiscard]] double elapsed_us() const { return elapsed_ms() * 1e3; }
        [[nodiscard]] double cpu_ms() const {
                return (read_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns_) * 1e-6;
        }

private:
        double wall_ns_ = read_clock_ns(CLOCK_MONOTONIC);
        double cpu_ns_ = read_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
};

}  // namespace examples
