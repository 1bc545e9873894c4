// SPDX-License-Identifier: MIT
//
// How much of the machine is used by programs that are not governed.
#pragma once

#include "policy/cpu_mask.hpp"
#include "policy/fair/foreign.hpp"
#include "policy/sample.hpp"
#include "policy/time_point.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

namespace governor::evidence {

using policy::CpuMask;
using policy::Sample;
using policy::TimePoint;
using policy::fair::Foreign;

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

        /// What a decision goes by: the load now, and the loads within the last kHold, or since the
        /// last end that is forgotten.
        [[nodiscard]] const Foreign& seen() const { return seen_; }

private:
        struct End {
                TimePoint at;
                float peak;  // before it, millicpu
        };

        [[nodiscard]] static Foreign::PerCpu measure(const Sample& sample,
                                                     std::span<const Burn> clients);

        void look_for_return(const CpuMask& pool);
        void look_for_end(const CpuMask& pool);

        Foreign seen_;
        std::optional<TimePoint> low_since_;  // below two thirds of the peak
        std::optional<End> end_;              // within kHold, unless it came back
        bool comes_and_goes_ = false;
};

}  // namespace governor::evidence
