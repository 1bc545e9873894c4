// SPDX-License-Identifier: MIT
//
// Schedules when to look at reports, and when to decide. Pure; time is an argument.
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

/// Decisions: one follows every sample and every event, but not two within kRest, or within
/// kLittle times what the last one took. Programs that come and go at any rate therefore make
/// the governor decide for a part of its time only.
///
/// Reports, while a program waits for CPUs that others have still to leave: they are read every
/// kPoll. They are read sooner where a program does nothing until then: each pause is 1/kLittle
/// of the time for which it has waited, kRest at least and kPoll at most.
///
/// Reports, while a lender may want its CPUs back: they are read every kPoll at first, and less
/// often the longer no program wants its CPUs back. Each pause is 1/kLittle of the time since a
/// program last lent or wanted back, kPoll at least and kTick at most.
///
/// Stopped programs: while a program would have more if another were not there, the daemon looks
/// every kTick whether one was stopped. It does not look where more than kMostWatched programs have
/// CPUs of their own and do not lend them: one holds little then as a rule, and the next sample has
/// to do.
///
/// Foreign load: the daemon looks every kTick from the start on, less often where that would take
/// more than 1/kTickTimes of a CPU. It looks also without a lease: a program that comes goes by
/// what it finds.
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
        /// The daemon looked for stopped programs; `matters`: one was stopped.
        void watched(bool matters, TimePoint now);
        void decided(const policy::fair::Decision& decision, TimePoint now);
        /// Right after decided(): at `at`, if not before.
        void decide_again(TimePoint at) { next_decision_ = std::min(next_decision_, at); }
        /// The last decision, and all that belongs to it, has taken `time`. Nothing but a sample is
        /// a reason to decide again before the rest is over.
        void took(std::chrono::nanoseconds time);

        void ticked(TimePoint now) { next_tick_ = now + tick_pause_; }
        /// The last look has taken `time`.
        void tick_took(std::chrono::nanoseconds time) {
                tick_pause_ = std::max<std::chrono::nanoseconds>(time * numbers::kTickTimes,
                                                                 numbers::kTick);
        }
        [[nodiscard]] TimePoint next_tick() const { return next_tick_; }

        /// A program does nothing until others have left.
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
        bool is_waited_for_ = false;                 // by a program that is to grow
        std::optional<TimePoint> parked_since_;      // a program does nothing meanwhile
        bool counts_regions_ = false;                // of rounds, or of a crowd
        std::vector<policy::fair::ProgramId> idle_;  // ascending; programs that lend
        TimePoint quiet_since_;                      // no program began to lend, or wanted back
        TimePoint next_watch_ = kNever;
        TimePoint next_tick_;
        std::chrono::nanoseconds tick_pause_ = numbers::kTick;
};

}  // namespace governor::registry
