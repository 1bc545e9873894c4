// SPDX-License-Identifier: MIT
//
// Tells the thread that waits for something that it is done.
#pragma once

#include <threadcount/pool/detail/machine.hpp>

#include <atomic>
#include <cstdint>
#include <ctime>

namespace threadcount::pool {

/// May live in the waiter's stack frame. finish() is called once; all others are the waiter's.
class Completion {
public:
        /// The last that is done with what this belongs to: it may be gone then. The kernel may be
        /// asked to wake an address that is used otherwise by now; a thread that sleeps on a futex
        /// must expect that.
        void finish() noexcept {
                if (state_.exchange(kDone, std::memory_order_acq_rel) == kIsWaitedFor)
                        Machine::wake_all(state_);
        }

        [[nodiscard]] bool is_done() const {
                return state_.load(std::memory_order_acquire) == kDone;
        }
        /// Returns when it is done, at `deadline` (CLOCK_MONOTONIC; nullptr: never), or sooner.
        void sleep(const timespec* deadline = nullptr) {
                auto state = kRuns;
                if (state_.compare_exchange_strong(state, kIsWaitedFor,
                                                   std::memory_order_acquire) ||
                    state == kIsWaitedFor)
                        Machine::wait(state_, kIsWaitedFor, deadline);
        }

private:
        static constexpr std::uint32_t kRuns = 0;
        static constexpr std::uint32_t kIsWaitedFor = 1;
        static constexpr std::uint32_t kDone = 2;

        std::atomic<std::uint32_t> state_{kRuns};
};

}  // namespace threadcount::pool
