// SPDX-License-Identifier: MIT
//
// When to look at reports, and when to decide. Pure; time is an argument.
#pragma once

#include "policy/fair/decision.hpp"
#include "policy/numbers.hpp"
#include "policy/time_point.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

namespace governor::registry {

using policy::TimePoint;

/// A decision follows every sample and every event, but not two within kRest, or within kRestTimes
/// times what the last one took: programs that come and go at any rate make the governor decide for
/// a part of its time only. While somebody waits for CPUs that others have still to leave, reports
/// are read every kPoll; sooner where a program does nothing until then, 1/kPollPart later each
/// time of the time for which it waits. While somebody may want back what he lent, so they are at
/// first, and the less often the longer nobody does: each time 1/kPollPart later of the time since
/// somebody last lent or wanted back, every kTick in the end. While somebody would have more if
/// another program were not there, it is looked every kTick whether one was stopped; not where more
/// than kMostWatched have CPUs of their own and do not lend them: then one holds little as a rule,
/// and the next sample has to do. Foreign load is looked at every kTick from the start on, less
/// often where that would take more than 1/kTickTimes of a CPU; also without a lease: a program
/// that comes goes by what it finds.
class Schedule {
public:
        static constexpr TimePoint kNever = TimePoint::max();

        /// The first tick is due then.
        explicit Schedule(TimePoint started) : next_tick_(started) {}

        /// Something happened that may change a decision.
        void want_decision(TimePoint now);
        /// A sample was taken: it is to be decided at once.
        void sampled(TimePoint now) { next_decision_ = now; }
        /// Reports were read; `matters`: they may change a decision.
        void polled(bool matters, TimePoint now);
        /// It was looked who was stopped; `matters`: somebody was.
        void watched(bool matters, TimePoint now);
        void decided(const policy::fair::Decision& decision, TimePoint now);
        /// What the last decision, and all that belongs to it, has taken.
        void took(std::chrono::nanoseconds time) {
                rest_ = std::max<std::chrono::nanoseconds>(time * numbers::kRestTimes,
                                                           numbers::kRest);
        }

        void ticked(TimePoint now) { next_tick_ = now + tick_pause_; }
        /// What the last look has taken.
        void tick_took(std::chrono::nanoseconds time) {
                tick_pause_ = std::max<std::chrono::nanoseconds>(time * numbers::kTickTimes,
                                                                 numbers::kTick);
        }
        [[nodiscard]] TimePoint next_tick() const { return next_tick_; }

        /// Somebody does nothing until others have left.
        [[nodiscard]] bool makes_somebody_wait() const { return parked_since_.has_value(); }
        [[nodiscard]] bool is_decision_due(TimePoint now) const { return next_decision_ <= now; }
        [[nodiscard]] bool is_poll_due(TimePoint now) const { return next_poll_ <= now; }
        [[nodiscard]] bool is_watch_due(TimePoint now) const { return next_watch_ <= now; }
        /// kNever: not before something happens.
        [[nodiscard]] TimePoint next() const {
                return std::min({next_decision_, next_poll_, next_watch_});
        }

private:
        [[nodiscard]] std::chrono::nanoseconds pause(TimePoint now) const;

        TimePoint last_decision_ = TimePoint::min();
        std::chrono::nanoseconds rest_ = numbers::kRest;
        TimePoint next_decision_ = kNever;
        TimePoint next_poll_ = kNever;
        bool is_waited_for_ = false;                 // by somebody who is to grow
        std::optional<TimePoint> parked_since_;      // somebody who does nothing meanwhile
        bool has_rounds_ = false;                    // of which one may be over sooner
        std::vector<policy::fair::ProgramId> idle_;  // ascending; those who lend
        TimePoint quiet_since_;                      // nobody began to lend, or wanted back
        TimePoint next_watch_ = kNever;
        TimePoint next_tick_;
        std::chrono::nanoseconds tick_pause_ = numbers::kTick;
};

}  // namespace governor::registry
