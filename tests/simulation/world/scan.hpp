// SPDX-License-Identifier: MIT
//
// Plays the looks at /proc that tell of processes that are not governed.
#pragma once

#include "evidence/foreign_load.hpp"
#include "simulation/scenario/scenario.hpp"

#include <map>
#include <span>

namespace simulation {

/// Threads of one process that run.
struct Seen {
        std::uint32_t user = 0;
        std::int32_t nice = 0;
        double rate = 0;  ///< CPUs
};

class Scan {
public:
        void advance(Time span, std::span<const Seen> running);

        /// The load since the last call.
        [[nodiscard]] governor::evidence::Ungoverned take();

private:
        struct Used {
                double plain_s = 0;
                double taken_s = 0;
        };

        std::map<std::uint32_t, Used> used_;  // by user
        double niced_s_ = 0;
        double taken_s_ = 0;
        double passed_s_ = 0;
};

}  // namespace simulation
