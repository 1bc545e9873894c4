// SPDX-License-Identifier: MIT
//
// Finds out whether a program is faster in a crowd or in rounds. Pure; time is an argument.
#pragma once

#include "policy/fair/snapshot.hpp"
#include "policy/time_point.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace governor::evidence {

/// A crowd costs wakes and cold caches, a round leaves CPUs idle in serial parts: only the program
/// shows which is less. Its regions are counted in a crowd for numbers::kCrowdTry. In its rounds
/// they are right after that, since programs change what they do. The result holds for
/// numbers::kCrowdMemory.
class CrowdTrial {
public:
        using Step = policy::fair::CrowdGain::Step;

        /// So many of its regions have ended by `now`. In a crowd its part of the time would be one
        /// of `parts` in rounds, at least 1. Empty: it is in its round, or alone. True: the next
        /// step begins.
        bool report(std::uint64_t ended, std::optional<double> parts, policy::TimePoint now);
        /// Regions since its last report do not count.
        void interrupted() { since_.reset(); }
        /// It waits for its round from now on, or does so no longer: waits do not count.
        void parked(bool parked, policy::TimePoint now);
        [[nodiscard]] policy::fair::CrowdGain result() const { return {step_, has_left_, gain_}; }

private:
        void begin(Step step, policy::TimePoint now);
        bool end_step(policy::TimePoint now);
        /// To count for so long in this step.
        [[nodiscard]] std::chrono::nanoseconds needed() const;

        /// Without the time for which it was parked.
        [[nodiscard]] std::chrono::nanoseconds ran(policy::TimePoint now) const;

        struct Count {
                std::chrono::nanoseconds ran{0};
                std::uint64_t ended = 0;
        };
        Step step_ = Step::Crowd;
        std::optional<policy::TimePoint> begun_at_;   // this step; empty: it did not report yet
        std::optional<policy::TimePoint> parked_at_;  // empty: it is not
        std::chrono::nanoseconds parked_{0};          // before that
        std::optional<Count> since_;                  // not counted yet
        std::chrono::nanoseconds time_{0};            // counted, in this step
        std::uint64_t regions_ = 0;                   // likewise
        double parts_ = 1;                            // of the crowd
        std::chrono::nanoseconds period_{0};          // of regions there
        bool has_left_ = false;                       // the crowd, in Step::Rounds
        std::optional<double> gain_;
};

}  // namespace governor::evidence
