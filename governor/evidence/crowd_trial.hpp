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
        using Step = policy::fair::CrowdTrial::Step;

        /// So many of its regions have ended by `now`, while so many teams shared the CPUs: 1 while
        /// it is alone, or in its round. True: the next step begins.
        bool report(std::uint64_t ended, std::uint32_t teams, policy::TimePoint now);
        /// It is parked: what it waits is not counted.
        void parked() { since_.reset(); }
        [[nodiscard]] policy::fair::CrowdTrial result() const { return {step_, gain_}; }

private:
        void begin(Step step, policy::TimePoint now);
        bool end_step(policy::TimePoint now);
        /// To count for so long in this step.
        [[nodiscard]] std::chrono::nanoseconds needed() const;

        struct Count {
                policy::TimePoint at;
                std::uint64_t ended = 0;
        };
        Step step_ = Step::Crowd;
        std::optional<policy::TimePoint> begun_at_;  // this step; empty: it did not report yet
        std::optional<Count> since_;                 // not counted yet
        std::chrono::nanoseconds time_{0};           // counted, in this step
        std::uint64_t regions_ = 0;                  // likewise
        std::uint32_t teams_ = 1;                    // of the crowd
        std::chrono::nanoseconds period_{0};         // of regions there
        std::optional<double> gain_;
};

}  // namespace governor::evidence
