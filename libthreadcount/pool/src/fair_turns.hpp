// SPDX-License-Identifier: MIT
//
// The division of a lane's time between tasks of tasks and tasks from outside.
#pragma once

#include <cstdint>

namespace threadcount::pool {

/// The article on affine pools exchanges its two queues every 32 tasks; tasks may be long, though.
/// A lane that has tasks of its own, and some in the shared queue, takes turns. It runs 32 tasks of
/// the one kind or 200 us of them, whatever is over first, then as much of the other one. Those of
/// the shared queue have at least the time that its own had before. A turn goes on while there is
/// nothing of the other kind. The clock is looked at with the first task of a turn, and then only
/// while the other kind waits: so short tasks do not pay for it.
///
/// Pure, and not thread-safe: a lane's own.
class FairTurns {
public:
        /// Before a task is taken: do those of the shared queue come first? Each argument is called
        /// if the answer depends on it. They tell whether the lane has tasks of its own, whether
        /// the shared queue has any, and the time in ns.
        template <class OwnWait, class SharedWait, class Now>
        [[nodiscard]] bool is_shared(const OwnWait& own_wait, const SharedWait& shared_wait,
                                     const Now& now) {
                if (taken_ > 0 && (is_shared_ ? own_wait() : shared_wait()))
                        look_at(now());
                else if (taken_ >= kTasks)
                        had_none();  // of the other kind
                return is_shared_;
        }
        /// Those of the shared queue come now, until they have had their part.
        [[nodiscard]] bool is_shared() const { return is_shared_; }

        /// A task was taken of the kind whose turn it is.
        template <class Now>
        void took_one(const Now& now) {
                if (taken_++ == 0)
                        since_ns_ = now();
        }

        /// There is none of the kind whose turn it is; so it was the other one's.
        void had_none() {
                taken_ = 0;
                is_shared_ = false;
        }

private:
        static constexpr int kTasks = 32;
        static constexpr std::uint64_t kNs = 200'000;

        void look_at(std::uint64_t now_ns) {
                const auto took_ns = now_ns - since_ns_;
                if ((taken_ < kTasks && took_ns < kNs) || (is_shared_ && took_ns < owed_ns_))
                        return;
                owed_ns_ = took_ns;
                taken_ = 0;
                is_shared_ = !is_shared_;
        }

        bool is_shared_ = false;
        int taken_ = 0;  // in this turn
        std::uint64_t since_ns_ = 0;
        std::uint64_t owed_ns_ = 0;  // to those of the shared queue
};

}  // namespace threadcount::pool
