// SPDX-License-Identifier: MIT
// The life of a lane: take, run, search, park.
#include "lane.hpp"

#include "block_signals.hpp"
#include "monotonic.hpp"
#include "scheduler.hpp"
#include "spin_until.hpp"

#include <threadcount/pool/detail/lane_context.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <new>
#include <pthread.h>
#include <sched.h>

namespace threadcount::pool {

namespace {

/// A CPU as the kernel wants it. Without memory from the heap: a thread's first allocation costs as
/// much as the rest of its start.
class OneCpu {
public:
        explicit OneCpu(int cpu) : size_(CPU_ALLOC_SIZE(static_cast<std::size_t>(cpu) + 1)) {
                CPU_SET_S(static_cast<std::size_t>(cpu), sizeof words_, set());
        }

        // A thread runs where it may if the kernel does not want it there.

        /// The calling thread.
        void bind() { (void)sched_setaffinity(0, size_, set()); }
        /// One that has not ended: the C library would take one that has for the calling one.
        void bind(pthread_t thread) { (void)pthread_setaffinity_np(thread, size_, set()); }

private:
        // The most that kernels are built for. A number beyond is no CPU, and nothing is set.
        static constexpr std::size_t kMostCpus = 8192;

        [[nodiscard]] cpu_set_t* set() { return reinterpret_cast<cpu_set_t*>(words_.data()); }

        std::size_t size_;
        std::array<unsigned long, kMostCpus / (8 * sizeof(unsigned long))> words_{};
};

// The three stages of waiting: pause, yield (until the pool's spin is over), sleep.
constexpr std::uint64_t kPausesNs = 3'000;
constexpr int kPauses = 8;  // between two looks at the clock
// A yield that takes so long has let somebody else run: this CPU is wanted.
constexpr std::uint64_t kSlowYieldNs = 5'000;
constexpr int kSlowYields = 2;

// A new thread on another CPU then binds itself.
constexpr std::uint64_t kPatienceNs = 50'000;

// A lane yields once there may have been work, and then none, more often than this in a row.
constexpr int kMisses = 16;

}  // namespace

int Lane::start() {
        // Before there is a thread: it may park, and be claimed by others, before this one goes on.
        // And before looking whether the lanes end: the thread that ends them looks for threads
        // afterwards.
        thread_is_.store(Thread::Starting, std::memory_order_seq_cst);
        const int error = scheduler_.is_ending() ? ECANCELED : prepare_and_create();
        thread_is_.store(error == 0 ? Thread::There : Thread::Missing, std::memory_order_release);
        return error;
}

int Lane::prepare_and_create() {
        try {
                victims_ = steal_order(scheduler_.sites(), index_);
                victims_.push_back(static_cast<std::uint16_t>(scheduler_.guest()));
        } catch (const std::bad_alloc&) {
                return ENOMEM;
        }
        const BlockSignals blocked;
        const int error = pthread_create(&thread_, nullptr, &Lane::main, this);
        // With the CPU in its attributes it would sleep once more at its start.
        if (error == 0) {
                const int here = cpu();
                OneCpu(here).bind(thread_);
                if (cpu() != here)
                        pin_again();
        }
        return error;
}

bool Lane::join() {
        while (thread_is_.load(std::memory_order_seq_cst) == Thread::Starting)
                Machine::yield();
        if (!is_started())
                return false;
        thread_is_.store(Thread::Missing, std::memory_order_relaxed);
        if (!spin_until([this] { return pthread_tryjoin_np(thread_, nullptr) == 0; }))
                pthread_join(thread_, nullptr);
        return true;
}

LaneStatistics Lane::statistics() const {
        return {cpu(), executed_.load(std::memory_order_relaxed),
                stolen_.load(std::memory_order_relaxed), parked_.load(std::memory_order_relaxed),
                woken_.load(std::memory_order_relaxed)};
}

void* Lane::main(void* lane) {
        static_cast<Lane*>(lane)->run();
        return nullptr;
}

void Lane::run() {
        bind_at_start();
        take_policy();
        char name[16];
        (void)std::snprintf(name, sizeof name, "lane-%d", cpu());
        pthread_setname_np(pthread_self(), name);
        const LaneContext context(scheduler_, scheduler_.queues().forks(index_), index_);
        const AsLane as_lane(context);

        searches_ = scheduler_.parking().begin(index_);
        owes_a_look_ = !searches_;
        for (int misses = 0;;) {
                keep_up();
                if (scheduler_.is_active(index_)) {
                        if (auto taken = scheduler_.take(index_, victims_)) {
                                misses = 0;
                                run(taken);
                                continue;
                        }
                        // A submitter may have its place, but not yet filled it, and wait for this
                        // very CPU.
                        if (++misses > kMisses)
                                Machine::yield();
                        if (search())
                                continue;
                }
                if (scheduler_.is_ending())
                        break;
                park();
        }
        if (searches_)
                (void)scheduler_.parking().stop_searching(index_);
        // The creator of this thread may be about to bind it.
        while (thread_is_.load(std::memory_order_acquire) == Thread::Starting)
                Machine::yield();
}

// Its creator usually binds this thread first, which takes less time. But the creator may be off
// its CPU for long, and a task may look where its thread may run. A change by another process is
// lost if it comes before both have done so.
void Lane::bind_at_start() {
        const auto is_starting = [this] {
                return thread_is_.load(std::memory_order_acquire) == Thread::Starting;
        };
        const auto start = monotonic_ns();
        while (is_starting() && ::sched_getcpu() != cpu() && monotonic_ns() - start < kPatienceNs)
                Machine::yield();
        if (is_starting())
                OneCpu(cpu()).bind();
}

/// Without the right to it, it goes on as it was created.
void Lane::take_policy() const {
        const auto& wanted = scheduler_.policy();
        if (const Scheduler::Policy now;
            now.number != wanted.number ||
            now.priority.sched_priority != wanted.priority.sched_priority)
                (void)pthread_setschedparam(pthread_self(), wanted.number, &wanted.priority);
}

void Lane::keep_up() {
        scheduler_.steering().keep_up();
        if (!is_pinned_.load(std::memory_order_acquire))
                pin();
        if (--until_look_ > 0)
                return;
        // A lane with short tasks does not pay for the clock. One with long tasks looks at it every
        // time.
        constexpr int kMost = 32;
        looks_every_ =
                scheduler_.steering().look_around(cpu()) ? 1 : std::min(2 * looks_every_, kMost);
        until_look_ = looks_every_;
}

void Lane::pin() {
        is_pinned_.store(true, std::memory_order_relaxed);
        OneCpu(cpu()).bind();
}

void Lane::run(Queues::Taken& taken) {
        if (taken.fork != nullptr)
                Machine::fetch(taken.fork);
        // Others have relied on this lane while it searched.
        if (searches_) {
                searches_ = false;
                if (scheduler_.parking().stop_searching(index_))
                        scheduler_.look_after_work();
        } else if (owes_a_look_) {
                scheduler_.look_after_work();
        }
        owes_a_look_ = false;
        add(executed_);
        if (taken.is_stolen)
                add(stolen_);
        if (taken.was_shared)
                backoff_.took_one();
        if (taken.fork != nullptr)
                scheduler_.queues().run_stolen(index_, *taken.fork);
        else
                taken.task();
}

void Lane::leave_shared_queue_alone(std::uint64_t now) {
        const auto until = now + std::min(backoff_.ns(), scheduler_.spin_ns());
        if (until == now)
                return;
        for (; now < until; now = monotonic_ns()) {
                note_here(now);
                Machine::pause();
                if (scheduler_.any_unshared_for(index_) || scheduler_.somebody_waits_for_idleness())
                        return;
        }
        backoff_.saw(scheduler_.queues().shared().size());
}

bool Lane::search() {
        // Others would rely on it while something else has its CPU.
        if (is_slow())
                return false;
        const auto start = monotonic_ns();
        note_here(start);
        if (!searches_)
                searches_ = scheduler_.parking().try_search(index_);
        if (!searches_)
                return false;
        if (scheduler_.spin_ns() == 0)
                return scheduler_.seems_any_for(index_);
        leave_shared_queue_alone(start);
        if (scheduler_.seems_any_for(index_))
                return true;
        auto now = start;
        for (; now - start < std::min(kPausesNs, scheduler_.spin_ns()); now = monotonic_ns())
                for (int i = 0; i < kPauses; i++) {
                        Machine::pause();
                        if (scheduler_.seems_any_for(index_))
                                return true;
                }
        for (int slow = 0; now - start < scheduler_.spin_ns() && slow < kSlowYields &&
                           scheduler_.is_active(index_) && !is_slow() &&
                           !scheduler_.somebody_waits_for_idleness();) {
                const auto before = now;
                Machine::yield();
                if (scheduler_.seems_any_for(index_))
                        return true;
                now = monotonic_ns();
                note_here(now);
                if (now - before > late_ns_)
                        was_late();
                slow += now - before > kSlowYieldNs ? 1 : 0;
        }
        return false;
}

void Lane::note_how_late() {
        if (is_late(monotonic_ns()))
                was_late();
        else if (is_slow())
                quick_wakes_to_go_.fetch_sub(1, std::memory_order_relaxed);
}

void Lane::park() {
        add(parked_);
        const auto parked = scheduler_.parking().park(index_, searches_, [this] {
                scheduler_.tell_if_idle();
                if (scheduler_.is_ending())
                        return true;
                // Others may do what this lane leaves to them: all if it is not active, and else
                // forks alone.
                if (!scheduler_.parking().is_active_now(index_)) {
                        scheduler_.look_after_work();
                        return false;
                }
                if (scheduler_.any_for(index_))
                        return true;
                scheduler_.look_after_forks();
                return false;
        });
        until_look_ = 1;  // time may have passed
        backoff_ = {};
        if (parked == Parking<>::Parked::NotAtAll)
                return;
        note_how_late();
        owes_a_look_ = !searches_;
        add(woken_);
}

}  // namespace threadcount::pool
