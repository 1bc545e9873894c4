// SPDX-License-Identifier: MIT
//
// One thread on one CPU that runs tasks.
#pragma once

#include "queue_backoff.hpp"
#include "queues.hpp"
#include "steering.hpp"

#include <threadcount/pool.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <pthread.h>
#include <vector>

namespace threadcount::pool {

class Scheduler;

class alignas(kApart) Lane {
public:
        /// A thread that is created, or a CPU that was in a deep sleep, takes less.
        static constexpr std::uint64_t kLateNs = 300'000;

        /// Without a CPU of its own it is never late.
        Lane(Scheduler& scheduler, std::size_t index, int cpu, Affinity affinity)
                : scheduler_(scheduler), index_(index), cpu_(cpu),
                  late_ns_(affinity == Affinity::Followed ? kLateNs : kNever) {}
        Lane(const Lane&) = delete;
        Lane& operator=(const Lane&) = delete;

        /// Has it a thread, or is it about to have one? Exact for the thread that has claimed it.
        [[nodiscard]] bool is_started() const {
                return thread_is_.load(std::memory_order_acquire) != Thread::Missing;
        }

        /// Creates the thread, on its CPU, unless the scheduler ends. The thread searches from its
        /// start on if the wake counts. By one thread only: the one that has claimed the lane. 0,
        /// or a positive errno.
        [[nodiscard]] int start();
        /// The lane is to end, and awake. False: there is no thread (any more).
        bool join();

        [[nodiscard]] int cpu() const { return cpu_.load(std::memory_order_relaxed); }
        /// It is being woken, or looks for work.
        void note_here(std::uint64_t now_ns) { here_ns_.store(now_ns, std::memory_order_relaxed); }
        [[nodiscard]] bool is_late(std::uint64_t now_ns) const {
                return now_ns > here_ns_.load(std::memory_order_relaxed) + late_ns_;
        }
        /// Something else had its CPU not long ago: others should do its work, and must not rely on
        /// it.
        [[nodiscard]] bool is_slow() const {
                return quick_wakes_to_go_.load(std::memory_order_relaxed) != 0;
        }
        void was_late() { quick_wakes_to_go_.store(kQuickWakes, std::memory_order_relaxed); }

        /// Takes effect before the next task.
        void move(int cpu) { cpu_.store(cpu, std::memory_order_relaxed); }
        void pin_again() { is_pinned_.store(false, std::memory_order_release); }

        [[nodiscard]] LaneStatistics statistics() const;

private:
        [[nodiscard]] int prepare_and_create();
        static void* main(void* lane);
        void run();
        void bind_at_start();
        void take_policy() const;
        /// Between two tasks.
        void keep_up();
        void pin();
        void run(Queues::Taken& taken);
        /// For a while, after it was emptied, unless there is something else to do.
        void leave_shared_queue_alone(std::uint64_t now);
        /// True: there may be work for it.
        [[nodiscard]] bool search();
        void park();
        /// After a wake.
        void note_how_late();

        static void add(std::atomic<std::uint64_t>& counter) {  // only its own thread writes
                counter.store(counter.load(std::memory_order_relaxed) + 1,
                              std::memory_order_relaxed);
        }

        static constexpr auto kNever = std::uint64_t{1} << 62;
        // The kernel lets a thread that has slept for long go first: one quick wake means little.
        static constexpr int kQuickWakes = 64;

        enum class Thread : std::uint8_t { Missing, Starting, There };

        // Others read it, a submitter the CPUs of all lanes; hardly anybody writes.
        Scheduler& scheduler_;
        const std::size_t index_;
        std::atomic<int> cpu_;
        const std::uint64_t late_ns_;
        std::atomic<bool> is_pinned_{true};
        std::atomic<int> quick_wakes_to_go_{0};  // until it is not slow any more
        pthread_t thread_{};
        std::atomic<Thread> thread_is_{Thread::Missing};
        // Its own thread writes it with each task, or look for one.
        alignas(kApart) std::atomic<std::uint64_t> here_ns_{0};
        bool searches_ = true;
        bool owes_a_look_ = false;  // it was woken, and does not search
        int until_look_ = 2;        // so many tasks less one until it looks around, and then
        int looks_every_ = 1;
        QueueBackoff backoff_;
        std::vector<std::uint16_t> victims_;
        std::atomic<std::uint64_t> executed_{0};
        std::atomic<std::uint64_t> stolen_{0};
        std::atomic<std::uint64_t> parked_{0};
        std::atomic<std::uint64_t> woken_{0};
};

}  // namespace threadcount::pool
