// SPDX-License-Identifier: MIT
//
// The timers of one pool, and the thread that waits for them.
#pragma once

#include "locks/mutex.hpp"
#include "timer_heap.hpp"

#include <threadcount/pool/detail/machine.hpp>
#include <threadcount/pool/detail/timer_node.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <thread>

namespace threadcount::pool {

class Scheduler;

/// One thread, created by the first timer, sleeps until the earliest is due, and puts what is due
/// into the scheduler's shared queue. The thread sleeps as any other submitter does while that is
/// full: timers that are due later could not be put there either. Nobody waits for the thread
/// meanwhile. It holds no lock, so that timers can be added and cancelled, and stop() ends it.
/// Nothing is lost, and nothing waits in a circle.
///
/// The lock is held for O(log n) steps. MT-Safe.
class Timers : public std::enable_shared_from_this<Timers> {
public:
        explicit Timers(Scheduler& scheduler) : scheduler_(scheduler) {}
        Timers(const Timers&) = delete;
        Timers& operator=(const Timers&) = delete;

        /// Has one more reference of `node` if this returns. After stop() the timer is over. Throws
        /// std::bad_alloc, std::system_error: no thread can be created.
        void add(TimerNode& node, std::chrono::steady_clock::time_point due);
        /// Removes a timer if it waits. The caller has a reference of its own.
        void remove(TimerNode& node) noexcept;

        /// One whose run has ended, and that was due meanwhile: the next time that is to come.
        void set_anew(TimerNode& node) noexcept;

        /// Ends the thread; all that wait are over. Only the first call does anything. Not by a
        /// lane: the thread may wait for it. The scheduler is not used afterwards.
        void stop() noexcept;

private:
        static constexpr std::int64_t kAwake = std::numeric_limits<std::int64_t>::min();
        static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

        enum class Added {
                Behind,   ///< the thread wakes up before it is due
                First,    ///< the thread is to be woken
                TooLate,  ///< not at all: stop() was called
        };
        [[nodiscard]] Added try_add(TimerNode& node, std::int64_t due_ns);
        void run();
        void settle();
        [[nodiscard]] TimerNode* take_any() noexcept;
        /// A list of entries to be made; nullptr: none is due.
        [[nodiscard]] TimerNode* take_due(std::int64_t now) THREADCOUNT_REQUIRES(mutex_);
        void submit(TimerNode* due) THREADCOUNT_EXCLUDES(mutex_);
        void sleep() THREADCOUNT_REQUIRES(mutex_);
        void wake() noexcept;

        Scheduler& scheduler_;
        Mutex mutex_;
        TimerHeap<TimerNode> heap_ THREADCOUNT_GUARDED_BY(mutex_);
        std::int64_t sleeps_until_ THREADCOUNT_GUARDED_BY(mutex_) = kAwake;  // of the thread
        std::thread thread_;
        std::atomic<bool> ends_{false};
        std::atomic<std::uint32_t> wakes_{0};  // the thread sleeps on it
};

}  // namespace threadcount::pool
