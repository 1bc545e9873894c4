// SPDX-License-Identifier: MIT
//
// One timer: what it runs, when, and where it stands.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace threadcount::pool {

class Timers;

/// References are counted: the heap's, its entry's in the pool's queue, and its handle's. Its state
/// is one word:
///
///   queued    an entry waits in a queue of the pool, or is about to
///   running   the callable runs
///   missed    it was due again meanwhile: the lane that ends the run sets it anew
///   over      it never begins (again): cancelled, or its only run has begun
///
/// The thread that makes it over while it does not run destroys the callable. Otherwise the lane
/// that runs it does so, when that is done. MT-Safe.
class TimerNode {
public:
        /// 0: once.
        explicit TimerNode(std::chrono::nanoseconds period) noexcept : period_ns_(period.count()) {}
        virtual ~TimerNode() = default;
        TimerNode(const TimerNode&) = delete;
        TimerNode& operator=(const TimerNode&) = delete;

        [[nodiscard]] bool cancel() noexcept;
        void add_reference() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
        void let_go() noexcept;

        enum class Due {
                Queued,  ///< the caller is to make an entry of it
                Missed,  ///< the last run is not yet done
                Over,
        };
        [[nodiscard]] Due queue() noexcept;

        // Its entry. Each of these is the last thing that is done with the entry.

        void run_entry() noexcept;
        /// It will never run.
        void drop_entry() noexcept;

protected:
        [[nodiscard]] bool is_over() const noexcept {
                return (word_.load(std::memory_order_acquire) & kOver) != 0;
        }
        virtual void call() noexcept = 0;
        /// Destroys the callable.
        virtual void drop() noexcept = 0;

private:
        friend class Timers;
        template <class Node>
        friend class TimerHeap;

        static constexpr std::uint32_t kQueued = 1;
        static constexpr std::uint32_t kRunning = 2;
        static constexpr std::uint32_t kOver = 4;
        static constexpr std::uint32_t kMissed = 8;
        static constexpr std::size_t kNowhere = ~std::size_t{0};

        [[nodiscard]] bool begin() noexcept;
        /// It is over. The word's former value.
        std::uint32_t end() noexcept;

        std::atomic<std::uint32_t> word_{0};
        std::atomic<std::uint32_t> references_{1};
        const std::int64_t period_ns_;
        // With the lock of the timers.
        std::size_t heap_index_ = kNowhere;
        std::int64_t missed_ns_ = 0;      // when it was due
        std::shared_ptr<Timers> timers_;  // set before others know the node
        TimerNode* next_due_ = nullptr;   // by the thread of the timers
};

template <class F>
class TimerTask final : public TimerNode {
public:
        template <class From>
        TimerTask(std::chrono::nanoseconds period, From&& from)
                : TimerNode(period), callable_(std::forward<From>(from)) {}
        ~TimerTask() override {
                if (!this->is_over())  // it could not be added
                        std::destroy_at(&callable_);
        }

private:
        void call() noexcept override { callable_(); }
        void drop() noexcept override { std::destroy_at(&callable_); }

        // Destroyed by drop().
        union {
                F callable_;
        };
};

/// The entry of a timer that is due in the pool's queues.
class TimerEntry {
public:
        explicit TimerEntry(TimerNode& node) noexcept : node_(&node) {}
        TimerEntry(TimerEntry&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
        TimerEntry& operator=(TimerEntry&&) = delete;
        TimerEntry(const TimerEntry&) = delete;
        TimerEntry& operator=(const TimerEntry&) = delete;
        ~TimerEntry() {
                if (node_ != nullptr)
                        node_->drop_entry();
        }
        void operator()() noexcept { std::exchange(node_, nullptr)->run_entry(); }

private:
        TimerNode* node_;
};

}  // namespace threadcount::pool
