// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

namespace governor::evidence {

/// The time that a gang was given in its turns, in all.
struct Served {
        std::chrono::nanoseconds time{0};           ///< as if it had had all CPUs meanwhile
        std::chrono::duration<double> cpu_time{0};  ///< of the CPUs that it had
        std::chrono::nanoseconds turns{0};          ///< the length of its turns

        friend bool operator==(const Served&, const Served&) = default;
};

}  // namespace governor::evidence
