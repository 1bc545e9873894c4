// SPDX-License-Identifier: MIT
//
// Where submitters sleep while the shared queue is full.
#pragma once

#include <threadcount/pool/detail/machine.hpp>

#include <cstdint>
#include <ctime>

namespace threadcount::pool {

/// A submitter that finds the queue full sleeps until there is a place. Each place that comes free
/// wakes one, unless one was woken that has not looked yet: while it is on its way many places come
/// free, and it takes them without another sleep. So a wake costs the lanes little. All that is
/// marked [S] is sequentially consistent:
///
///   a submitter  counts itself, and says that it wants to be told [S]; then reads the queue's head
///                [S], and sleeps if the queue is full and nobody was told since it has said so
///   a consumer   moves the head [S]; then tells one [S], if any is counted and wants it
///   who leaves   with or without a place, tells the next one if there is room: what it was told
///                may have been for that one
///
/// So one of the two sees the other, and while there is room one at least is awake. MT-Safe.
template <class Queue, class Platform = Machine>
class BackPressure {
        template <class T>
        using Atomic = typename Platform::template Atomic<T>;

public:
        explicit BackPressure(Queue& queue) : queue_(queue) {}

        /// Is there a place besides those that others wait for? False is no more than advice.
        [[nodiscard]] bool has_place() const {
                const auto waiting = waiting_.load(std::memory_order_relaxed);
                return waiting == 0 || queue_.size() + waiting < queue_.capacity();
        }

        /// Pushes what `fill` makes, as soon as there is a place. False: `deadline`
        /// (CLOCK_MONOTONIC; nullptr: none) is over, and there was none then; or `gives_up()`,
        /// which is asked again after release() and reads what was written before that [S].
        template <class Fill, class GivesUp>
        [[nodiscard]] bool push(const Fill& fill, const timespec* deadline,
                                const GivesUp& gives_up) {
                waiting_.fetch_add(1, std::memory_order_seq_cst);
                const bool is_in = wait_for_place(fill, deadline, gives_up);
                if (waiting_.fetch_sub(1, std::memory_order_seq_cst) > 1 &&
                    queue_.size() < queue_.capacity())
                        tell_one();
                return is_in;
        }

        /// An item was taken out.
        void popped() {
                if (waiting_.load(std::memory_order_seq_cst) != 0)
                        tell_one();
        }

        /// All that wait look again.
        void release() {
                word_.fetch_add(kTold, std::memory_order_seq_cst);
                Platform::wake_all(word_);
        }

private:
        template <class Fill, class GivesUp>
        [[nodiscard]] bool wait_for_place(const Fill& fill, const timespec* deadline,
                                          const GivesUp& gives_up) {
                for (bool is_over = false;;) {
                        const auto word =
                                word_.fetch_or(kWanted, std::memory_order_seq_cst) | kWanted;
                        if (gives_up())
                                return false;
                        if (queue_.push(fill))
                                return true;
                        if (is_over)
                                return false;
                        is_over = !Platform::wait(word_, word, deadline);
                }
        }

        void tell_one() {
                auto word = word_.load(std::memory_order_seq_cst);
                while ((word & kWanted) != 0)
                        if (word_.compare_exchange_weak(word, word - kWanted + kTold,
                                                        std::memory_order_seq_cst,
                                                        std::memory_order_seq_cst))
                                return Platform::wake_one(word_);
        }

        static constexpr std::uint32_t kWanted = 1;  // somebody is to be told of the next place
        static constexpr std::uint32_t kTold = 2;    // what is above counts how often one was

        Queue& queue_;
        Atomic<std::uint32_t> word_{0};
        Atomic<std::uint32_t> waiting_{0};  // those inside of push()
};

}  // namespace threadcount::pool
