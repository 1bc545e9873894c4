// SPDX-License-Identifier: MIT
//
// The lane that the calling thread is, if it is one, and the task that it runs if it is none.
#pragma once

#include <threadcount/lane.h>
#include <threadcount/pool/detail/fork.hpp>

#include <cstddef>
#include <cstdint>

namespace threadcount::pool {

class Scheduler;
class TimeAlone;

/// The context of a lane's thread, or of a guest. Other copies of the pool read what it inherits
/// alone.
struct LaneContext : threadcount_lane {
        using Alone = TimeAlone;

        LaneContext(Scheduler& its_scheduler, ForkDeque& its_forks, std::size_t number)
                : threadcount_lane{&its_scheduler, threadcount_this_lane},
                  scheduler(&its_scheduler), forks(&its_forks),
                  lane(static_cast<std::uint32_t>(number)) {}

        Scheduler* const scheduler;
        ForkDeque* const forks;
        const std::uint32_t lane;
};

/// The calling thread is this for as long as it exists.
class AsLane {
public:
        explicit AsLane(const LaneContext& context) : outer_(threadcount_this_lane) {
                threadcount_this_lane = &context;
        }
        ~AsLane() { threadcount_this_lane = outer_; }
        AsLane(const AsLane&) = delete;
        AsLane& operator=(const AsLane&) = delete;

private:
        const threadcount_lane* const outer_;
};

/// The context as which the calling thread belongs to `scheduler`; nullptr: it does not. A task of
/// one pool may be the guest of another one.
[[nodiscard]] inline const LaneContext* lane_in(const Scheduler* scheduler) {
        for (const auto* lane = threadcount_this_lane; lane != nullptr; lane = lane->outer)
                if (lane->pool == scheduler)
                        return static_cast<const LaneContext*>(lane);
        return nullptr;
}

/// The calling thread, which is no lane of a scheduler, runs one of its tasks. Tasks that this one
/// submits must not wait for a place, and are not run inside of it. All copies of the pool know of
/// it.
class Visit {
public:
        /// Does stop() wait for it? Then its task may submit until it is done.
        enum class Awaited { No, Yes };

        explicit Visit(const Scheduler* scheduler, Awaited awaited = Awaited::No)
                : visit_{scheduler, threadcount_this_visit, awaited == Awaited::Yes ? 1 : 0} {
                threadcount_this_visit = &visit_;
        }
        ~Visit() { threadcount_this_visit = visit_.outer; }
        Visit(const Visit&) = delete;
        Visit& operator=(const Visit&) = delete;

        /// Is the calling thread in a task of any pool that it runs so?
        [[nodiscard]] static bool is_any() { return threadcount_this_visit != nullptr; }
        [[nodiscard]] static bool is_in(const Scheduler* scheduler) {
                return is_any_of([&](const threadcount_visit& it) { return it.pool == scheduler; });
        }
        /// The same, and stop() waits for it.
        [[nodiscard]] static bool is_awaited_in(const Scheduler* scheduler) {
                return is_any_of([&](const threadcount_visit& it) {
                        return it.pool == scheduler && it.is_awaited != 0;
                });
        }

private:
        template <class Is>
        [[nodiscard]] static bool is_any_of(const Is& is) {
                const auto* visit = threadcount_this_visit;
                while (visit != nullptr && !is(*visit))
                        visit = visit->outer;
                return visit != nullptr;
        }

        const threadcount_visit visit_;
};

/// Does the calling thread run a task of any pool, as a lane or otherwise, or take part in one?
[[nodiscard]] inline bool is_in_any_task() {
        return threadcount_this_lane != nullptr || Visit::is_any();
}

/// A thread from outside that takes part in the work of a scheduler, as if it were a lane. Lanes
/// can steal what it forks or submits. There is one at a time.
class Guest {
public:
        explicit Guest(Scheduler& scheduler);
        ~Guest();
        Guest(const Guest&) = delete;
        Guest& operator=(const Guest&) = delete;

        /// False: there is another guest, or the pool was stopped; this one does not take part.
        [[nodiscard]] bool takes_part() const { return takes_part_; }
        [[nodiscard]] const LaneContext& context() const { return context_; }

private:
        const LaneContext context_;
        const bool takes_part_;
};

/// A fork was pushed to `lane`'s empty deque: a lane that sleeps may steal it.
void wake_thief(const LaneContext& lane);

/// Returns when `fork`, which another lane has stolen from `lane`, the calling one, is done. Runs
/// what is forked by it meanwhile, and nothing else: so the stack is hardly deeper than it would be
/// without lanes. (D. B. Wagner, B. G. Calder, "Leapfrogging", PPoPP 1993.)
void wait_for(const LaneContext& lane, Fork& fork);

/// CLOCK_MONOTONIC.
[[nodiscard]] std::uint64_t loop_clock_ns(const LaneContext& lane);

/// The time for which a loop has run without other lanes.
class TimeAlone {
public:
        explicit TimeAlone(Scheduler& scheduler);
        /// A time that was not enough is remembered: soon after, the next loop pays sooner.
        ~TimeAlone();
        TimeAlone(const TimeAlone&) = delete;
        TimeAlone& operator=(const TimeAlone&) = delete;

        /// After `done` iterations, with `left` to go, which will take as long each: do they take
        /// longer than another lane's help costs? A lane that searches costs less than one that
        /// sleeps. The latter is woken for a long loop, and if this and the loops shortly before
        /// have taken as long as a wake together. A loop alone has some wakes' time to go then.
        [[nodiscard]] bool is_enough(std::size_t done, std::size_t left);
        /// After is_enough(): iterations that take two looks at the clock together, if they take as
        /// long as the `done` before. At least 1.
        [[nodiscard]] std::size_t worth_a_look(std::size_t done) const;
        /// Afterwards: half of the iterations that take as long as it does until another lane has
        /// begun; of `done` that were run.
        [[nodiscard]] double head_start(std::size_t done) const;
        [[nodiscard]] std::uint64_t start_ns() const { return start_ns_; }  // CLOCK_MONOTONIC

private:
        Scheduler& scheduler_;
        const std::uint64_t start_ns_;
        std::uint64_t now_ns_;
        bool is_enough_ = false;
        bool somebody_searches_ = false;
};

}  // namespace threadcount::pool
