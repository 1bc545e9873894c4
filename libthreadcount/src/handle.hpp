// SPDX-License-Identifier: MIT
//
// The object behind a `threadcount_handle *`.
#pragma once

#include "cpu_mask.hpp"
#include "environment.hpp"
#include "fork_generation.hpp"
#include "lease.hpp"
#include "locks/mutex.hpp"
#include "polling.hpp"
#include "transport.hpp"

#include <atomic>
#include <cstdint>
#include <threadcount/threadcount.h>

namespace threadcount {

/// A program that is parked waits for its turn so long and no longer, whatever the governor says:
/// twice what a governor makes it wait by default.
inline constexpr std::uint64_t kLongestWait_ms = 600'000;

/// The serial number of the next handle; addresses are used again. MT-Safe.
[[nodiscard]] std::uint32_t next_serial();

}  // namespace threadcount

struct threadcount_handle {
        threadcount_handle(const threadcount::Environment& from, const char* socket,
                           std::uint32_t width, std::uint32_t interval_ms,
                           const threadcount::CpuMask& bound_to, threadcount::Binding* binds);

        // Constant after construction.
        const threadcount::Environment environment;
        const threadcount::Addresses addresses;
        const std::uint32_t ungoverned;
        const std::uint32_t max;
        const std::uint32_t
                whole_from;  // threads that share a count of so many each have all of it
        const unsigned generation = threadcount::fork_generation();
        const std::uint32_t serial = threadcount::next_serial();
        // Relaxed: a number by itself, which only tests change.
        std::atomic<std::uint64_t> longest_wait_ms{threadcount::kLongestWait_ms};
        const threadcount::CpuMask affinity;  // where a runtime binds its threads; empty: not known
        threadcount::Binding* const binding;  // nullptr: threads stay as they are

        mutable threadcount::Mutex mutex;

        // The lease and polling share it: one of them talks at a time.
        threadcount::Transport transport THREADCOUNT_GUARDED_BY(mutex);
        threadcount::GrownCount count THREADCOUNT_GUARDED_BY(mutex);

        // The hot path of a lease; run() and what is said of it are guarded by `mutex`.
        threadcount::Lease lease;

        // Without a grant these are read. Relaxed: two numbers without anything behind them;
        // next_poll_ms only saves the lock.
        std::atomic<std::uint32_t> threads{1};
        std::atomic<std::uint64_t> next_poll_ms{0};

        // Relaxed: about how many regions in a row had teams larger than the grant.
        std::atomic<std::uint32_t> wider_regions{0};

        threadcount::Polling polling THREADCOUNT_GUARDED_BY(mutex);
};

namespace threadcount {

/// Was it opened by a parent of this process? Then nothing may be done with it but answering
/// threadcount_max(). MT-Safe, three loads.
[[nodiscard]] inline bool is_inert(const threadcount_handle& handle) {
        return handle.generation != fork_generation();
}

/// Talks to the governor if it is time to: says hello, asks, or looks for an answer, which it waits
/// for until `deadline_ns` at most. Other threads return at once meanwhile, and go on with the
/// numbers as they are. MT-Safe.
void consult(threadcount_handle& handle, std::uint64_t now_ms, std::uint64_t deadline_ns)
        THREADCOUNT_EXCLUDES(handle.mutex);

/// Tells what the lease has to tell: now, or later where another thread talks. MT-Safe; does not
/// block.
void tell_wishes(threadcount_handle& handle) THREADCOUNT_EXCLUDES(handle.mutex);

/// Looks whether a program that is parked still is, or the governor has gone. Waits for something
/// to happen where the program has to wait, at most for half a second. The thread may be cancelled,
/// and signals are handled, while it waits. False: it is not parked any more. MT-Safe; any number
/// of threads may wait.
[[nodiscard]] bool wait_for_turn(threadcount_handle& handle) THREADCOUNT_EXCLUDES(handle.mutex);

}  // namespace threadcount
