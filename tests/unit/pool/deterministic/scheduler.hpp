// SPDX-License-Identifier: MIT
//
// Decides at each atomic operation which thread does the next one: by a seed, so that what fails
// once fails again.
#pragma once

#include "fiber.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace deterministic {

/// Any number that only the seed decides.
class Dice {
public:
        explicit Dice(std::uint64_t seed) : state_(seed) {}
        /// 0 .. sides - 1
        [[nodiscard]] std::uint64_t roll(std::uint64_t sides) { return next() % sides; }

private:
        std::uint64_t next();
        std::uint64_t state_;
};

/// Threads of a test, which are fibers of one thread. Some seeds choose any thread at each step;
/// others give priorities to them and take them away at a few points (after S. Burckhardt et al.,
/// "A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs", ASPLOS 2010), which
/// finds what needs few switches at the wrong places.
///
/// It explores sequentially consistent interleavings only: no thread sees writes in another order
/// than they were made. But switching orders nothing for the thread sanitizer, which thus sees what
/// the memory orders do not order.
class Scheduler {
public:
        static Scheduler& instance();

        /// Forgets all threads.
        void reset(std::uint64_t seed);
        /// A thread that begins with the next go().
        void add(std::function<void()> body);
        /// Runs the threads until nobody can go on. True: all have ended. Otherwise some may go on
        /// with the next go(), after the caller's changes or wakes. Throws std::runtime_error if
        /// that takes longer than any test should.
        [[nodiscard]] bool go();
        /// 0 .. sides - 1: what else the seed decides.
        [[nodiscard]] std::uint64_t pick(std::uint64_t sides);

        // For threads; nothing happens outside of them.

        /// May a weak compare-exchange fail that need not?
        [[nodiscard]] bool fails_for_no_reason();
        /// Somebody else may go on here.
        void step();
        /// The caller waits for others to do something.
        void yield();
        /// Sleeps until wake(), or for no reason at all. False: its deadline is over.
        [[nodiscard]] bool sleep(const void* word, bool has_deadline);
        void wake(const void* word, int count);

private:
        enum class State { Ready, Asleep, Ended };
        struct Thread {
                explicit Thread(std::size_t stack_bytes) : fiber(stack_bytes) {}
                Fiber fiber;
                State state = State::Ended;
                std::uint64_t priority = 0;
                const void* word = nullptr;
                bool has_deadline = false;
                bool is_over = false;
                std::uint64_t last_go = 0;
        };

        Scheduler() : dice_(0) {}
        [[nodiscard]] Thread* choose(bool others_first);
        void choose_priority(Thread& thread, bool lowest);
        /// A sleeper may wake early, and time passes.
        void disturb();
        [[nodiscard]] bool end_a_deadline();
        void switch_away(bool others_first);
        template <class Is>
        [[nodiscard]] Thread* any(const Is& is);

        Fiber main_;
        std::vector<std::unique_ptr<Thread>> threads_;
        std::size_t used_ = 0;
        Thread* running_ = nullptr;
        Dice dice_;
        bool by_priority_ = false;
        bool disturbs_ = false;
        std::uint64_t reluctance_ = 1;  // to switch, where not by priority
        std::uint64_t lowest_ = 0;
        std::uint64_t steps_ = 0;
        std::uint64_t goes_ = 0;
};

}  // namespace deterministic
