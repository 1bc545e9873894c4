// SPDX-License-Identifier: MIT
//
// The half of a fork_join() that another lane may run.
#pragma once

#include <threadcount/pool/detail/completion.hpp>
#include <threadcount/pool/detail/deque.hpp>

#include <atomic>
#include <cstdint>

namespace threadcount::pool {

/// One run of a stolen fork: the lane that has stolen it, and its how many-th this is.
class Theft {
public:
        constexpr Theft() = default;  // none
        constexpr Theft(std::uint32_t thief, std::uint64_t number)
                : bits_(number << kLaneBits | thief) {}  // number > 0

        explicit operator bool() const { return bits_ != 0; }
        [[nodiscard]] std::uint32_t thief() const {
                return static_cast<std::uint32_t>(bits_ & ((1U << kLaneBits) - 1));
        }
        bool operator==(const Theft&) const = default;

private:
        static constexpr int kLaneBits = 16;
        std::uint64_t bits_ = 0;
};

/// Lives in the stack frame of the lane that forked it, which does not leave before it is done.
class Fork {
public:
        /// `run` runs it, keeps what it throws, and calls finish() last.
        explicit Fork(void (*run)(Fork&) noexcept) : run_(run) {}
        Fork(const Fork&) = delete;
        Fork& operator=(const Fork&) = delete;

        /// Called by the lane that has stolen it. The fork is gone afterwards.
        void run_stolen(Theft theft) noexcept {
                theft_.store(theft, std::memory_order_release);
                run_(*this);
        }

        // Called by the lane that waits for it.

        [[nodiscard]] bool is_done() const { return completion_.is_done(); }
        /// None: it has been stolen, and not yet begun.
        [[nodiscard]] Theft theft() const { return theft_.load(std::memory_order_acquire); }
        /// Returns when it is done, at `deadline` (CLOCK_MONOTONIC), or sooner.
        void sleep_until(const timespec& deadline) { completion_.sleep(&deadline); }

protected:
        ~Fork() = default;

        /// The fork may be gone afterwards.
        void finish() noexcept { completion_.finish(); }

private:
        void (*const run_)(Fork&) noexcept;
        std::atomic<Theft> theft_{};
        Completion completion_;
};

using ForkDeque = Deque<Fork*>;

}  // namespace threadcount::pool
