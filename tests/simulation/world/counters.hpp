// SPDX-License-Identifier: MIT
//
// Plays /proc/stat, and what the probe makes of it: idle ratios over a sliding window, by the same
// rules as probe::IdleHistory.
#pragma once

#include "policy/sample.hpp"
#include "simulation/scenario/scenario.hpp"

#include <deque>
#include <span>
#include <vector>

namespace simulation {

class Counters {
public:
        /// Time passes; `busy` and `niced` (may be empty) are parts of it, by CPU number. Threads
        /// that yield to all others use `yielding` CPUs. O(CPUs).
        void advance(Time span, std::span<const double> busy, std::span<const double> niced,
                     double yielding);

        /// Reads the counters of the CPUs that are online. The first sample is complete: the
        /// counters count as read before time 0, when nothing ran.
        const governor::policy::Sample& read(const CpuMask& online, Time now, Time period);
        /// The same over the window of a tick. The result of read() stays as it is.
        const governor::policy::Sample& tick(const CpuMask& online, Time now);

        /// Over the window of the last read().
        [[nodiscard]] std::uint32_t yielding_millicpu() const { return yielding_millicpu_; }

private:
        struct Reading {
                Time at{0};
                CpuMask online;
                std::vector<double> busy_s;
                std::vector<double> niced_s;
                double yielding_s = 0;
        };

        struct Window {
                std::deque<Reading> readings;
                governor::policy::Sample sample;
        };

        void look(Window& window, const CpuMask& online, Time now, Time shortest);

        std::vector<double> busy_s_;
        std::vector<double> niced_s_;
        double yielding_s_ = 0;
        std::uint32_t yielding_millicpu_ = 0;
        Window samples_;
        Window ticks_;
};

}  // namespace simulation
