// SPDX-License-Identifier: MIT
// Adding, waiting, submitting, cancelling.
#include "timers.hpp"

#include "allowed_cpus.hpp"
#include "block_signals.hpp"
#include "monotonic.hpp"
#include "scheduler.hpp"

#include <threadcount/pool/task.hpp>

#include <new>
#include <pthread.h>
#include <sys/prctl.h>
#include <utility>

namespace threadcount::pool {

namespace {

// Timers that are taken out of the heap at once: others want the lock, too.
constexpr int kBatch = 64;

}  // namespace

void TimerNode::let_go() noexcept {
        if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
                delete this;
}

std::uint32_t TimerNode::end() noexcept {
        const auto before = word_.fetch_or(kOver, std::memory_order_acq_rel);
        if ((before & (kOver | kRunning)) == 0)
                drop();
        return before;
}

bool TimerNode::cancel() noexcept {
        const auto before = end();
        if ((before & kOver) != 0)
                return false;
        // One that runs once is either queued or in the heap.
        if (timers_ != nullptr && (period_ns_ != 0 || (before & kQueued) == 0))
                timers_->remove(*this);
        return true;
}

TimerNode::Due TimerNode::queue() noexcept {
        auto now = word_.load(std::memory_order_relaxed);
        while ((now & kOver) == 0)
                if (word_.compare_exchange_weak(now, now == 0 ? kQueued : now | kMissed,
                                                std::memory_order_acq_rel))
                        return now == 0 ? Due::Queued : Due::Missed;
        return Due::Over;
}

bool TimerNode::begin() noexcept {
        const auto running = kRunning | (period_ns_ == 0 ? kOver : 0);
        auto now = word_.load(std::memory_order_relaxed);
        while ((now & kOver) == 0)
                if (word_.compare_exchange_weak(now, running | (now & kMissed),
                                                std::memory_order_acq_rel))
                        return true;
        return false;
}

void TimerNode::run_entry() noexcept {
        if (begin()) {
                call();
                const auto before =
                        word_.fetch_and(~(kRunning | kMissed), std::memory_order_acq_rel);
                if ((before & kOver) != 0)
                        drop();
                else if ((before & kMissed) != 0)
                        timers_->set_anew(*this);
        }
        let_go();
}

void TimerNode::drop_entry() noexcept {
        (void)cancel();
        let_go();
}

void Timers::add(TimerNode& node, std::chrono::steady_clock::time_point due) {
        const auto due_ns = std::chrono::nanoseconds(due.time_since_epoch()).count();
        node.timers_ = shared_from_this();
        switch (try_add(node, due_ns)) {
        case Added::TooLate:
                // A callable is destroyed without the lock: it may hold other timers.
                (void)node.end();
                break;
        case Added::First:
                wake();
                break;
        case Added::Behind:
                break;
        }
}

Timers::Added Timers::try_add(TimerNode& node, std::int64_t due_ns) {
        const MutexLock lock(mutex_);
        if (ends_.load(std::memory_order_relaxed))
                return Added::TooLate;
        if (!thread_.joinable()) {
                const BlockSignals blocked;
                thread_ = std::thread([this] { run(); });
        }
        heap_.push(due_ns, node);
        node.add_reference();
        if (due_ns >= sleeps_until_)
                return Added::Behind;
        sleeps_until_ = kAwake;
        return Added::First;
}

void Timers::remove(TimerNode& node) noexcept {
        const MutexLock lock(mutex_);
        if (!heap_.has(node))
                return;
        heap_.remove(node);
        // Not the last one: the caller has another.
        node.references_.fetch_sub(1, std::memory_order_release);
}

void Timers::set_anew(TimerNode& node) noexcept {
        bool is_sooner = false;
        {
                const MutexLock lock(mutex_);
                if (!heap_.has(node))
                        return;
                const auto due = next_due(node.missed_ns_, node.period_ns_,
                                          static_cast<std::int64_t>(monotonic_ns()));
                heap_.move(node, due);
                is_sooner = due < sleeps_until_;
                if (is_sooner)
                        sleeps_until_ = kAwake;
        }
        if (is_sooner)
                wake();
}

void Timers::stop() noexcept {
        {
                const MutexLock lock(mutex_);
                ends_.store(true, std::memory_order_seq_cst);
        }
        if (!thread_.joinable())
                return;
        wake();
        scheduler_.queues().back_pressure().release();
        thread_.join();
        // A callable is destroyed without the lock: it may hold other timers.
        while (auto* const node = take_any()) {
                (void)node->end();
                node->let_go();
        }
}

TimerNode* Timers::take_any() noexcept {
        const MutexLock lock(mutex_);
        if (heap_.empty())
                return nullptr;
        auto& node = heap_.earliest();
        heap_.remove(node);
        return &node;
}

void Timers::run() {
        settle();
        const MutexLock lock(mutex_);
        while (!ends_.load(std::memory_order_relaxed)) {
                auto* const due = take_due(static_cast<std::int64_t>(monotonic_ns()));
                if (due == nullptr) {
                        sleep();
                        continue;
                }
                mutex_.unlock();
                submit(due);
                mutex_.lock();
        }
}

// A lane may have created the thread, which has inherited its CPU.
void Timers::settle() {
        pthread_setname_np(pthread_self(), "timers");
        prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);  // ns; 50'000 is the default
        try {
                if (const auto cpus = scheduler_.steering().cpus_at_home(); !cpus.empty())
                        (void)bind_to(cpus);
        } catch (const std::bad_alloc&) {
                // It stays where its creator is.
        }
}

TimerNode* Timers::take_due(std::int64_t now) {
        TimerNode* first = nullptr;
        TimerNode** end = &first;
        for (int i = 0; i < kBatch && !heap_.empty() && heap_.earliest_due() <= now; i++) {
                auto& node = heap_.earliest();
                const auto due = node.queue();
                const bool is_queued = due == TimerNode::Due::Queued;
                if (due == TimerNode::Due::Missed) {
                        // Not at each of its times: the lane that ends the run knows better.
                        node.missed_ns_ = heap_.earliest_due();
                        heap_.postpone(kNever);
                } else if (node.period_ns_ != 0 && !node.is_over()) {
                        heap_.postpone(next_due(heap_.earliest_due(), node.period_ns_, now));
                        if (is_queued)
                                node.add_reference();
                } else {
                        heap_.remove(node);
                        if (!is_queued)
                                node.let_go();
                }
                if (is_queued) {
                        *end = &node;
                        end = &node.next_due_;
                }
        }
        *end = nullptr;
        return first;
}

void Timers::submit(TimerNode* due) {
        auto& queues = scheduler_.queues();
        const auto gives_up = [this] { return ends_.load(std::memory_order_seq_cst); };
        while (due != nullptr) {
                TimerEntry entry(*std::exchange(due, due->next_due_));
                const TaskSource source(entry);
                const auto fits = [&] {
                        return queues.back_pressure().has_place() && queues.shared().push(source);
                };
                if (!gives_up() &&
                    (fits() || queues.back_pressure().push(source, nullptr, gives_up)))
                        scheduler_.there_is_work(Scheduler::Caller::Sleeps);
        }
}

void Timers::sleep() {
        sleeps_until_ = heap_.empty() ? kNever : heap_.earliest_due();
        const auto deadline = as_timespec(
                std::chrono::steady_clock::time_point(std::chrono::nanoseconds(sleeps_until_)));
        const bool has_deadline = sleeps_until_ != kNever;
        const auto wakes = wakes_.load(std::memory_order_relaxed);
        mutex_.unlock();
        Machine::wait(wakes_, wakes, has_deadline ? &deadline : nullptr);
        mutex_.lock();
        sleeps_until_ = kAwake;
}

void Timers::wake() noexcept {
        wakes_.fetch_add(1, std::memory_order_relaxed);
        Machine::wake_one(wakes_);
}

}  // namespace threadcount::pool
