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
/// so that what ended is given back in one step. That a load comes and goes is known when it has
/// come back; an end is forgotten as long as it is not. Pure: time is an argument.
class ForeignLoad {
public:
        static constexpr std::chrono::milliseconds kSmoothing{2'000};
        /// A peak is held for so long. What comes back so soon after an end comes and goes, until
        /// it has stayed away for longer.
        static constexpr std::chrono::milliseconds kHold{10'000};
        /// Less than two thirds of the peak for so long is an end.
        static constexpr std::chrono::milliseconds kEnd{1'000};

        /// Takes the sample of the period that ends `now`, and what clients burned in it. Which
        /// CPUs of a set they burned it on is not known: it is spread over the busy ones, the
        /// smallest sets first. A CPU whose idle time is not known counts as idle. The first sample
        /// counts in full; one that is warming up not at all. Ends are looked for in the sum over
        /// `pool`: what moves from CPU to CPU has not ended. O(CPUs x different sets).
        void add(const Sample& sample, std::span<const Burn> clients, const CpuMask& pool,
                 TimePoint now);

        /// The highest foreign load on `cpus` within the last kHold, or since the last end that is
        /// forgotten. O(CPUs).
        [[nodiscard]] std::uint32_t held_millicpu(const CpuMask& cpus) const;

        /// Smoothed foreign load of one CPU now, 0..1000.
        [[nodiscard]] std::uint32_t now_millicpu(std::uint32_t cpu) const;

private:
        using PerCpu = std::vector<float>;  // millicpu, by CPU number

        struct Load {
                TimePoint at;
                PerCpu smoothed;
                PerCpu measured;

                [[nodiscard]] float on(const CpuMask& cpus) const;
        };
        struct End {
                TimePoint at;
                float peak;  // before it, millicpu
        };

        [[nodiscard]] static PerCpu measure(const Sample& sample, std::span<const Burn> clients);

        void look_for_return(const CpuMask& pool);
        void look_for_end(const CpuMask& pool);

        Load now_;
        std::deque<Load> past_;               // oldest first, within kHold
        std::optional<TimePoint> low_since_;  // below two thirds of the peak
        std::optional<End> end_;              // within kHold, unless it came back
        bool comes_and_goes_ = false;
};

}  // namespace governor::policy::fair
