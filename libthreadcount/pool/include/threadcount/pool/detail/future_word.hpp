// SPDX-License-Identifier: MIT
//
// The outcome of one task, and the owners that still need its memory, in one word.
#pragma once

#include <threadcount/pool/detail/machine.hpp>

#include <cstdint>
#include <ctime>

namespace threadcount::pool {

enum class Outcome : std::uint32_t { None = 0, Value = 2, Error = 4, Cancelled = 6 };

/// Two own a task's memory: its entry, which is in a queue (or waits for another task to be done),
/// and its future. The one that lets go last destroys it. The one that claims the task decides what
/// becomes of it. Its entry claims it when a lane has that, or a lane that waits for it, or a
/// caller that cancels it.
///
///   claim()    pending -> claimed: exactly one gets true. After claim_elsewhere() the holder of
///              the entry keeps it until the task is ready, and then has that of its next().
///   publish()  claimed -> ready, by the one that has claimed it
///   sleep()    until it is ready. There is no lock, so that a thread that gives up holds none.
///   follow()   `next` starts when this one is ready
///
/// MT-Safe. `Node` is what has a word like this. The future's owner alone calls follow(), once.
template <class Node, class Platform = Machine>
class FutureWord {
        template <class T>
        using Atomic = typename Platform::template Atomic<T>;

public:
        enum Owner : std::uint32_t { kNobody = 0, kEntry = 8, kFuture = 16 };

        /// The caller may run the task, or drop it; nobody else does.
        [[nodiscard]] bool claim() noexcept {
                return (word_.fetch_or(kClaimed, std::memory_order_acquire) & kClaimed) == 0;
        }
        /// The same for a thread that the task's pool does not wait for: its entry's holder does.
        [[nodiscard]] bool claim_elsewhere() noexcept {
                auto now = word_.load(std::memory_order_relaxed);
                while ((now & kClaimed) == 0)
                        if (word_.compare_exchange_weak(now, now | kClaimed | kElsewhere,
                                                        std::memory_order_acquire,
                                                        std::memory_order_relaxed))
                                return true;
                return false;
        }
        [[nodiscard]] bool is_elsewhere() const noexcept {
                return (word_.load(std::memory_order_relaxed) & kElsewhere) != 0;
        }
        [[nodiscard]] bool is_claimed() const noexcept {
                return (word_.load(std::memory_order_relaxed) & kClaimed) != 0;
        }

        /// Its outcome, and all that was written before publish().
        [[nodiscard]] Outcome outcome() const noexcept {
                return outcome_in(word_.load(std::memory_order_acquire));
        }

        struct Published {
                Node* next;    ///< its entry is the caller's now; nullptr: nobody follows
                bool is_last;  ///< the caller destroys the node
        };

        /// Wakes the threads that sleep. With `lets_go` the caller, this owner, lets go at the same
        /// time.
        [[nodiscard]] Published publish(Outcome outcome, Owner lets_go) noexcept {
                auto now = word_.load(std::memory_order_acquire);
                for (;;) {
                        // Nobody may destroy the word before the sleepers were woken, nor before
                        // `next_` was read.
                        const bool wakes = (now & kSleeper) != 0;
                        auto* const next = (now & kFollowed) != 0 ? next_ : nullptr;
                        const auto ready = now | static_cast<std::uint32_t>(outcome) |
                                           (wakes ? std::uint32_t{kNobody} : lets_go);
                        if (!word_.compare_exchange_weak(now, ready, std::memory_order_acq_rel,
                                                         std::memory_order_acquire))
                                continue;
                        if (!wakes)
                                return {next, lets_go != kNobody && (now & other(lets_go)) != 0};
                        Platform::wake_all(word_);
                        return {next, lets_go != kNobody && let_go(lets_go)};
                }
        }

        /// True: the other one has let go already; the caller destroys the node.
        [[nodiscard]] bool let_go(Owner owner) noexcept {
                return (word_.load(std::memory_order_acquire) & other(owner)) != 0 ||
                       (word_.fetch_or(owner, std::memory_order_acq_rel) & other(owner)) != 0;
        }

        /// False: this one is ready already, and `next` stays the caller's.
        [[nodiscard]] bool follow(Node& next) noexcept {
                next_ = &next;
                // Not after publish(): next() would tell of what is the caller's.
                auto now = word_.load(std::memory_order_acquire);
                while (outcome_in(now) == Outcome::None)
                        if (word_.compare_exchange_weak(now, now | kFollowed,
                                                        std::memory_order_acq_rel,
                                                        std::memory_order_acquire))
                                return true;
                return false;
        }
        /// The one that follows this one, which is ready; nullptr: none does.
        [[nodiscard]] Node* next() const noexcept {
                return (word_.load(std::memory_order_acquire) & kFollowed) != 0 ? next_ : nullptr;
        }

        /// False: `deadline` (CLOCK_MONOTONIC; nullptr: none) is over, and it is not ready.
        bool sleep(const timespec* deadline) noexcept {
                auto now = word_.load(std::memory_order_acquire);
                for (bool is_over = false;;) {
                        if (outcome_in(now) != Outcome::None)
                                return true;
                        if (is_over)
                                return false;
                        if ((now & kSleeper) == 0) {
                                now = word_.fetch_or(kSleeper, std::memory_order_acquire) |
                                      kSleeper;
                                continue;
                        }
                        is_over = !Platform::wait(word_, now, deadline);
                        now = word_.load(std::memory_order_acquire);
                }
        }

private:
        static constexpr std::uint32_t kClaimed = 1;
        static constexpr std::uint32_t kOutcome = 6;
        static constexpr std::uint32_t kSleeper = 32;   // publish() has to wake somebody
        static constexpr std::uint32_t kFollowed = 64;  // next_ is set
        static constexpr std::uint32_t kElsewhere = 128;

        static Outcome outcome_in(std::uint32_t word) noexcept {
                return static_cast<Outcome>(word & kOutcome);
        }
        static constexpr std::uint32_t other(Owner owner) noexcept {
                return kEntry ^ kFuture ^ owner;
        }

        Atomic<std::uint32_t> word_{0};
        Node* next_ = nullptr;
};

}  // namespace threadcount::pool
