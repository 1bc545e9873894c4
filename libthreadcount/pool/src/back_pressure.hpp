// SPDX-License-Identifier: MIT
//
// The sleep of submitters while the shared queue is full.
#pragma once

#include "monotonic.hpp"

#include <threadcount/pool/detail/machine.hpp>

#include <cstddef>
#include <cstdint>
#include <ctime>

namespace threadcount::pool {

/// A submitter that finds the queue full sleeps until there is a place. Each place that comes free
/// wakes one, unless one was woken that has not looked yet. All that is marked [S] is sequentially
/// consistent:
///
///   A submitter  counts itself, and says that it wants to be told [S]. Then it reads the queue's
///                head [S], and sleeps if the queue is full and nobody was told since it has said
///                so.
///   A consumer   moves the head [S]. Then it tells one submitter [S], if any is counted and wants
///                it.
///   A leaver     tells the next one if there is room, whether it has got a place or not: the
///                message that it got may have been for that one.
///
/// One of the two therefore sees the other, and one submitter at least is awake while there is
/// room.
///
/// Beside short tasks a submitter that is woken for one place is soon asleep again. At a large
/// queue it is therefore patient at first: for a moment it wants to be told only when the queue is
/// half empty. Nobody has to tell it: the moment ends by itself. Then it counts itself as one of
/// those in a hurry [S], before it says again that it wants to be told, and what is above holds. A
/// consumer looks for those [S] after it has moved the head. MT-Safe.
template <class Queue, class Platform = Machine>
class BackPressure {
        template <class T>
        using Atomic = typename Platform::template Atomic<T>;

public:
        /// Are submitters of this queue patient at first?
        enum class Patience { None, Some };

        explicit BackPressure(Queue& queue)
                : BackPressure(queue,
                               queue.capacity() >= kLarge ? Patience::Some : Patience::None) {}
        BackPressure(Queue& queue, Patience patience)
                : queue_(queue), is_patient_(patience == Patience::Some) {}

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
                if (waiting_.load(std::memory_order_seq_cst) != 0 && is_worth_it())
                        tell_one();
        }

        /// There was no item. The queue's size has not told of those that were taken out of order.
        void found_none() {
                if (waiting_.load(std::memory_order_relaxed) != 0)
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
                const auto is_in = [&] { return queue_.push(fill); };
                if (is_patient_) {
                        const auto word = want();
                        if (gives_up())
                                return false;
                        if (is_in())
                                return true;
                        const auto moment = earlier(deadline, monotonic_ns() + kMomentNs);
                        (void)Platform::wait(word_, word, &moment);
                }
                hurried_.fetch_add(1, std::memory_order_seq_cst);
                const bool got_in = hurry(is_in, deadline, gives_up);
                hurried_.fetch_sub(1, std::memory_order_seq_cst);
                return got_in;
        }

        template <class IsIn, class GivesUp>
        [[nodiscard]] bool hurry(const IsIn& is_in, const timespec* deadline,
                                 const GivesUp& gives_up) {
                for (bool is_over = false;;) {
                        const auto word = want();
                        if (gives_up())
                                return false;
                        if (is_in())
                                return true;
                        if (is_over)
                                return false;
                        is_over = !Platform::wait(word_, word, deadline);
                }
        }

        /// Says that somebody wants to be told. Returns the word with that.
        [[nodiscard]] std::uint32_t want() {
                return word_.fetch_or(kWanted, std::memory_order_seq_cst) | kWanted;
        }

        [[nodiscard]] bool is_worth_it() const {
                return hurried_.load(std::memory_order_seq_cst) != 0 ||
                       queue_.size() <= queue_.capacity() / 2;
        }

        [[nodiscard]] static timespec earlier(const timespec* deadline, std::uint64_t at_ns) {
                const auto at = as_timespec(at_ns);
                const bool is_before =
                        deadline != nullptr &&
                        (deadline->tv_sec < at.tv_sec ||
                         (deadline->tv_sec == at.tv_sec && deadline->tv_nsec < at.tv_nsec));
                return is_before ? *deadline : at;
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

        static constexpr std::size_t kLarge = 256;  // places
        // Lanes empty half of a queue of 4,096 meanwhile if the tasks are empty. The kernel adds
        // 50 us at most.
        static constexpr std::uint64_t kMomentNs = 50'000;

        Queue& queue_;
        const bool is_patient_;
        Atomic<std::uint32_t> word_{0};
        Atomic<std::uint32_t> waiting_{0};  // those inside of push()
        Atomic<std::uint32_t> hurried_{0};  // those of them that want to be told of each place
};

}  // namespace threadcount::pool
