// SPDX-License-Identifier: MIT
//
// One pool, and what all that is done with it share.
#pragma once

#include "chance.hpp"
#include "ledger.hpp"
#include "watchdog.hpp"

#include <threadcount/pool.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace stress {

using Clock = std::chrono::steady_clock;

/// This thread runs what was handed back: nobody else might run what it waits for.
inline thread_local bool runs_the_rest = false;

/// The events that the summary counts.
enum class Count {
        Tasks,
        Refused,
        Futures,
        Cancelled,
        Followers,
        Timers,
        Ticks,
        Loops,
        Forks,
        Runs,
        Nested,
        Masks,
        HandedBack,
        Forgotten
};
constexpr std::size_t kCounts = static_cast<std::size_t>(Count::Forgotten) + 1;
using Counts = std::array<std::atomic<std::uint64_t>, kCounts>;

/// The exception that tasks throw on purpose.
struct Problem {
        std::size_t number;
};

class Scene {
public:
        Scene(std::uint64_t seed, Counts& counts);

        Ledger ledger;
        threadcount::Pool pool;
        /// Another one, which waits for nothing of `pool`: so those of `pool` may wait for it.
        threadcount::Pool neighbour;

        bool changes_mask = false;                  ///< at any time
        std::atomic<bool> is_ending{false};         ///< from before the pool is stopped
        std::atomic<bool> has_ended{false};         ///< and from after that
        std::atomic<bool> may_be_forgotten{false};  ///< what is handed back

        /// Is the caller a task of the pool, or does it take part?
        [[nodiscard]] bool is_inside() const {
                return threadcount::pool::lane_in(scheduler_) != nullptr;
        }
        /// Does the caller, which is no lane, run a task of the pool that stop() waits for?
        [[nodiscard]] bool is_visit() const {
                return threadcount::pool::Visit::is_awaited_in(scheduler_);
        }
        /// Is it inside, or does it run a task of the pool without being a lane of it?
        [[nodiscard]] bool is_task() const {
                return is_inside() || threadcount::pool::Visit::is_in(scheduler_);
        }
        void count(Count what, std::uint64_t times = 1) {
                counts_[static_cast<std::size_t>(what)].fetch_add(times, std::memory_order_relaxed);
        }
        /// Ends the program if it is not so.
        static void check(bool is_so, const char* else_what, std::size_t number = 0) {
                if (!is_so)
                        Watchdog::fail(else_what, number);
        }

private:
        Counts& counts_;
        const threadcount::pool::Scheduler* scheduler_ = nullptr;
};

/// By a task, or from outside: one of the things that follow, as chance wants it. Nothing if it is
/// called too deep, or the ledger is full. `depth`: of tasks that were submitted by tasks.
void act(Scene& scene, Chance& chance, int depth);
/// The work of a task: nothing, or some of it.
void work(Scene& scene, std::uint64_t seed, int depth);

// Each of these may throw std::logic_error where the pool may be stopped.

void submit_a_task(Scene& scene, Chance& chance, int depth);
void use_a_future(Scene& scene, Chance& chance, int depth);
void use_a_timer(Scene& scene, Chance& chance, int depth);
void divide_work(Scene& scene, Chance& chance, int depth);
void use_another_pool(Scene& scene, Chance& chance, int depth);

// By threads of their own.

void change_masks(Scene& scene, std::uint64_t seed);
void wait_for_idleness(Scene& scene, std::uint64_t seed);
void end(Scene& scene, Chance& chance);

}  // namespace stress
