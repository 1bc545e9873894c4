// SPDX-License-Identifier: MIT
//
// Which lane the calling thread is, if it is one.
#pragma once

#include <threadcount/pool/detail/fork.hpp>

#include <cstddef>
#include <cstdint>

namespace threadcount::pool {

class Scheduler;

struct LaneContext {
        Scheduler* scheduler = nullptr;  ///< nullptr: no lane
        ForkDeque* forks = nullptr;
        std::uint32_t lane = 0;
        const LaneContext* outer = nullptr;  ///< of the pool whose task uses this one
};

/// Of a lane's thread; and of a guest.
inline constinit thread_local LaneContext this_lane;

/// As what the calling thread belongs to `scheduler`; nullptr: it does not. A task of one pool may
/// be the guest of another one.
[[nodiscard]] inline const LaneContext* lane_in(const Scheduler* scheduler) {
        for (const auto* lane = &this_lane; lane != nullptr; lane = lane->outer)
                if (lane->scheduler == scheduler)
                        return lane;
        return nullptr;
}

/// A thread from outside that takes part in the work of a scheduler, as if it were a lane: what it
/// forks or submits can be stolen by lanes. There is one at a time.
class Guest {
public:
        explicit Guest(Scheduler& scheduler);
        ~Guest();
        Guest(const Guest&) = delete;
        Guest& operator=(const Guest&) = delete;

        /// False: there is another guest, or the pool was stopped; this one does not take part.
        [[nodiscard]] bool takes_part() const { return takes_part_; }

private:
        const LaneContext before_;
        bool takes_part_;
};

/// A fork was pushed to `lane`'s empty deque: somebody who sleeps may steal it.
void wake_thief(const LaneContext& lane);

/// Returns when `fork`, which another lane has stolen from `lane`, the calling one, is done. Runs
/// what is forked by it meanwhile, and nothing else: so the stack is hardly deeper than it would be
/// without lanes. (D. B. Wagner, B. G. Calder, "Leapfrogging", PPoPP 1993.)
void wait_for(const LaneContext& lane, Fork& fork);

/// How long a loop has run without other lanes.
class TimeAlone {
public:
        explicit TimeAlone(Scheduler& scheduler);
        /// What was not enough is remembered: soon after, the next loop pays sooner.
        ~TimeAlone();
        TimeAlone(const TimeAlone&) = delete;
        TimeAlone& operator=(const TimeAlone&) = delete;

        /// After `done` iterations, with `left` to go, which will take as long each: do they take
        /// longer than another lane's help costs? One that searches costs less than one that
        /// sleeps, which is woken for a long loop, and if this and the loops shortly before have
        /// taken as long as that together.
        [[nodiscard]] bool is_enough(std::size_t done, std::size_t left);
        /// After is_enough(): iterations that take two looks at the clock together, if they take as
        /// long as the `done` before. At least 1.
        [[nodiscard]] std::size_t worth_a_look(std::size_t done) const;
        /// Afterwards: half of the iterations that take as long as it does until another lane has
        /// begun; of `done` that were run.
        [[nodiscard]] double head_start(std::size_t done) const;

private:
        Scheduler& scheduler_;
        const std::uint64_t start_ns_;
        std::uint64_t now_ns_;
        bool is_enough_ = false;
        bool somebody_searches_ = false;
};

}  // namespace threadcount::pool
