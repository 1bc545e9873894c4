// SPDX-License-Identifier: MIT
//
// How much of the machine is used by programs that are not governed.
#pragma once

#include "policy/cpu_mask.hpp"
#include "policy/sample.hpp"
#include "policy/time_point.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace governor::policy::fair {

using policy::TimePoint;

/// CPU time per second that is not foreign load, somewhere on `cpus`: clients burn it, or threads
/// that yield to everybody.
struct Burn {
        CpuMask cpus;
        std::uint32_t millicpu = 0;
        bool niced = false;  ///< with a positive nice value
};

/// foreign = busy - what clients burn - niced time that is not the clients'. Smoothed over 2 s, and
/// a peak is held for 10 s: room is taken at once and given back late, so that a load that comes
/// and goes does not make grants come and go. The smoothed load counts as far as there is some now,
/// so that what ended is given back in one step. What ends for the first time is forgotten within
/// two seconds: whether it comes and goes is known when it has come back. Pure: time is an
/// argument.
class ForeignLoad {
public:
        static constexpr std::chrono::milliseconds kSmoothing{2'000};
        static constexpr std::chrono::milliseconds kHold{10'000};
        /// Less than half of the peak for so long is an end.
        static constexpr std::chrono::milliseconds kEnd{1'000};
        /// What comes back within kHold after an end comes and goes: for so long, its ends are
        /// held.
        static constexpr std::chrono::milliseconds kMemory{30'000};

        /// Takes the sample of the period that ends `now`, and what clients burned in it. Which
        /// CPUs of a set they burned it on is not known: it is spread over the busy ones, the
        /// smallest sets first. A CPU whose idle time is not known counts as idle. The first sample
        /// counts in full; one that is warming up not at all. O(CPUs x different sets).
        void add(const Sample& sample, std::span<const Burn> clients, TimePoint now);

        /// The highest foreign load on `cpus` within the last kHold. O(CPUs).
        [[nodiscard]] std::uint32_t held_millicpu(const CpuMask& cpus) const;

        /// Smoothed foreign load of one CPU now, 0..1000.
        [[nodiscard]] std::uint32_t now_millicpu(std::uint32_t cpu) const;

private:
        using PerCpu = std::vector<float>;  // millicpu, by CPU number

        struct Load {
                TimePoint at;
                PerCpu smoothed;
                PerCpu measured;
                float everywhere = 0;

                [[nodiscard]] float on(const CpuMask& cpus) const;
        };
        struct End {
                TimePoint at;
                float peak;  // before it, millicpu
        };

        [[nodiscard]] static PerCpu measure(const Sample& sample, std::span<const Burn> clients);

        void look_for_an_end();

        Load now_;
        std::deque<Load> past_;   // oldest first, within kHold
        std::optional<End> end_;  // within kHold, until it comes back
        std::optional<TimePoint> came_back_;
};

}  // namespace governor::policy::fair
