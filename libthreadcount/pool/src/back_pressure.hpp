// SPDX-License-Identifier: MIT
//
// Where submitters sleep while the shared queue is full.
#pragma once

#include <threadcount/pool/detail/machine.hpp>

#include <cstdint>
#include <ctime>

namespace threadcount::pool {

/// A submitter that finds the queue full sleeps until it is half empty: who slept for one place
/// only would be woken for every task. The same proof as in parking.hpp: the submitter says that it
/// waits, then reads the queue's head; the consumer moves the head, then reads whether somebody
/// waits. Who leaves as the last one says that nobody waits, whatever the queue holds. MT-Safe.
template <class Queue, class Platform = Machine>
class BackPressure {
        template <class T>
        using Atomic = typename Platform::template Atomic<T>;

public:
        explicit BackPressure(Queue& queue) : queue_(queue) {}

        /// Does a submitter wait? Then others wait behind it, and do not take its place.
        [[nodiscard]] bool somebody_waits() const {
                return waiting_.load(std::memory_order_relaxed) != 0;
        }

        /// Pushes what `fill` makes, as soon as there is a place. False: `deadline`
        /// (CLOCK_MONOTONIC; nullptr: none) is over, or `gives_up()`, which is asked again after
        /// release() and reads what was written before that [S].
        template <class Fill, class GivesUp>
        [[nodiscard]] bool push(const Fill& fill, const timespec* deadline,
                                const GivesUp& gives_up) {
                inside_.fetch_add(1, std::memory_order_relaxed);
                const bool is_in = wait_for_place(fill, deadline, gives_up);
                // acq_rel: what others who have left have said is taken back, too.
                if (inside_.fetch_sub(1, std::memory_order_acq_rel) == 1)
                        release();
                return is_in;
        }

        /// An item was taken out.
        void popped() {
                if (waiting_.load(std::memory_order_seq_cst) != 0 && is_half_empty())
                        release();
        }

        /// All that wait look again.
        void release() {
                if (waiting_.exchange(0, std::memory_order_seq_cst) != 0)
                        Platform::wake_all(waiting_);
        }

private:
        template <class Fill, class GivesUp>
        [[nodiscard]] bool wait_for_place(const Fill& fill, const timespec* deadline,
                                          const GivesUp& gives_up) {
                for (bool is_first_come = !somebody_waits();; is_first_come = true) {
                        waiting_.store(1, std::memory_order_seq_cst);
                        if (gives_up()) {
                                release();  // it has said again that somebody waits
                                return false;
                        }
                        if ((is_first_come || is_half_empty()) && queue_.push(fill))
                                return true;
                        if (!Platform::wait(waiting_, 1, deadline))
                                return false;
                }
        }

        [[nodiscard]] bool is_half_empty() const { return queue_.size() <= queue_.capacity() / 2; }

        Queue& queue_;
        Atomic<std::uint32_t> waiting_{0};  // 1: those who are inside are to be told
        Atomic<std::uint32_t> inside_{0};   // of push()
};

}  // namespace threadcount::pool
