// SPDX-License-Identifier: MIT
//
// The threads of a program that have nothing to do and have not gone to sleep yet.
#pragma once

#include "simulation/scenario/scenario.hpp"

#include <cstdint>
#include <vector>

namespace simulation {

/// Threads that began to wait at the same time stop at the same time.
class Spinners {
public:
        [[nodiscard]] std::uint32_t count() const;
        /// The time after which the first ones stop; there must be some.
        [[nodiscard]] Time least() const;

        /// `threads` begin to wait, and stop after `left`.
        void add(std::uint32_t threads, Time left);
        /// `threads` have work again, as far as there are so many: those first that came last.
        void take(std::uint32_t threads);
        void advance(Time span);
        /// Those whose time is over stop. False: there were none.
        bool sleep();

private:
        struct Group {
                std::uint32_t threads;
                Time left;
        };
        std::vector<Group> groups_;  // as they came
};

}  // namespace simulation
