// SPDX-License-Identifier: MIT
//
// The half of a fork_join() that another lane may run.
#pragma once

#include <threadcount/pool/detail/completion.hpp>
#include <threadcount/pool/detail/deque.hpp>

#include <atomic>
#include <cstdint>

namespace threadcount::pool {

/// Lives in the stack frame of the lane that forked it, which does not leave before it is done.
class Fork {
public:
        /// `run` runs it, keeps what it throws, and calls finish() last.
        explicit Fork(void (*run)(Fork&) noexcept) : run_(run) {}
        Fork(const Fork&) = delete;
        Fork& operator=(const Fork&) = delete;

        /// Called by the lane that has stolen it: `thief`. The fork is gone afterwards.
        void run_stolen(std::uint32_t thief) noexcept {
                thief_.store(thief + 1, std::memory_order_release);
                run_(*this);
        }

        // Called by the lane that waits for it.

        [[nodiscard]] bool is_done() const { return completion_.is_done(); }
        /// The lane of its own forks. -1: it has been stolen, and not yet begun.
        [[nodiscard]] int thief() const {
                return static_cast<int>(thief_.load(std::memory_order_acquire)) - 1;
        }
        /// Returns when it is done, at `deadline` (CLOCK_MONOTONIC), or sooner.
        void sleep_until(const timespec& deadline) { completion_.sleep(&deadline); }

protected:
        ~Fork() = default;

        /// The fork may be gone afterwards.
        void finish() noexcept { completion_.finish(); }

private:
        void (*const run_)(Fork&) noexcept;
        std::atomic<std::uint32_t> thief_{0};
        Completion completion_;
};

using ForkDeque = Deque<Fork*>;

}  // namespace threadcount::pool
