// SPDX-License-Identifier: MIT
//
// Load of programs that are not governed, as one decision goes by it. Plain data.
#pragma once

#include "policy/cpu_mask.hpp"
#include "policy/time_point.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace governor::policy::fair {

/// evidence::ForeignLoad measures it and says how it is smoothed and for how long it is held.
struct Foreign {
        using PerCpu = std::vector<float>;  ///< millicpu, by CPU number

        struct Load {
                TimePoint at;
                PerCpu smoothed;
                PerCpu measured;

                /// The lower of the two sums over `cpus`: smoothed load counts as far as there is
                /// some at `at`.
                [[nodiscard]] float on(const CpuMask& cpus) const;
        };

        Load now;
        std::deque<Load> past;  ///< earlier loads that are still held, oldest first

        /// The highest load on `cpus`, now or in the past that is held. O(loads x CPUs).
        [[nodiscard]] std::uint32_t held_millicpu(const CpuMask& cpus) const;

        /// Smoothed load of one CPU now, 0..1000.
        [[nodiscard]] std::uint32_t now_millicpu(std::uint32_t cpu) const;
};

/// The sum of `load` over `cpus`, millicpu.
[[nodiscard]] float sum(const Foreign::PerCpu& load, const CpuMask& cpus);

}  // namespace governor::policy::fair
