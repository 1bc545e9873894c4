// SPDX-License-Identifier: MIT
// The promises of a pool about tasks, queues, masks and its end.
#include <threadcount/pool.hpp>

#include "pool/blocker.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using threadcount::Pool;
using threadcount::PoolOptions;
using threadcount::Task;
using threadcount::WhenFull;

TEST(Pool, RunsWhatIsSubmitted) {
        std::atomic<int> sum{0};
        {
                Pool pool;
                for (int i = 1; i <= 1000; i++)
                        pool.submit([&sum, i] { sum += i; });
        }
        EXPECT_EQ(sum, 500'500);
}

TEST(Pool, RunsWhatTasksSubmitThoughItsQueuesAreSmall) {
        std::atomic<int> ran{0};
        Pool pool({.capacity = 2, .lane_capacity = 4});
        const auto post = [&](auto& self, int depth) -> void {
                ran++;
                for (int child = 0; depth > 0 && child < 4; child++)
                        pool.submit([&self, depth] { self(self, depth - 1); });
        };
        pool.submit([&] { post(post, 6); });
        pool.wait_idle();
        EXPECT_EQ(ran, 1 + 4 + 16 + 64 + 256 + 1024 + 4096);
}

namespace {

/// Tasks that each submit themselves again, `tasks` of them, until `runs` have run.
class Again {
public:
        Again(Pool& pool, int tasks, int runs) : pool_(pool), left_(runs) {
                for (int i = 0; i < tasks; i++)
                        pool_.submit([this] { run(); });
        }
        [[nodiscard]] int left() const { return left_; }
        [[nodiscard]] int deepest() const { return deepest_; }

private:
        void run() {
                thread_local int depth = 0;
                depth++;
                deepest_ = std::max(deepest_.load(), depth);
                if (left_.fetch_sub(1) > 0)
                        pool_.submit([this] { run(); });
                depth--;
        }

        Pool& pool_;
        std::atomic<int> left_;
        std::atomic<int> deepest_{0};
};

}  // namespace

TEST(Pool, TasksThatSubmitThemselvesAgainAreNeverNested) {
        Pool pool;
        const Again again(pool, 7000, 300'000);
        pool.wait_idle();
        EXPECT_EQ(again.left(), -7000);
        EXPECT_EQ(again.deepest(), 1);
}

TEST(Pool, TasksThatSubmitThemselvesAgainAreNeverNestedThoughQueuesAreSmall) {
        Pool pool({.capacity = 2, .lane_capacity = 2});
        const Again again(pool, 8, 30'000);
        pool.wait_idle();
        EXPECT_EQ(again.left(), -8);
        EXPECT_EQ(again.deepest(), 1);
}

TEST(Pool, ATaskSubmitsWithinTheBoundsIfItTriesTo) {
        const Pool all;
        Pool pool({.cpus = {all.cpus().front()}, .capacity = 3, .lane_capacity = 4});
        int accepted = 0;
        pool.run([&] {
                while (pool.try_submit([] {}))
                        accepted++;
                pool.submit([] {});
                EXPECT_FALSE(pool.try_submit([] {}));
        });
        EXPECT_EQ(accepted, 3 + 4);
}

TEST(Pool, WhatTasksSubmitBeyondTheQueuesIsHandedBack) {
        const Pool all;
        std::vector<Task> rest;
        std::atomic<int> ran{0};
        {
                Pool pool({.cpus = {all.cpus().front()}, .lane_capacity = 1});
                std::atomic<bool> is_full{false};
                std::atomic<bool> is_closed{false};
                pool.submit([&] {
                        for (int i = 0; i < 100; i++)
                                pool.submit([&] { ran++; });
                        is_full = true;
                        while (!is_closed)
                                std::this_thread::yield();
                });
                while (!is_full)
                        std::this_thread::yield();
                std::thread stopper([&] { rest = pool.stop_and_hand_back(); });
                wait_until_closed(pool);
                is_closed = true;
                stopper.join();
        }
        for (auto& task : rest)
                task();
        EXPECT_EQ(ran, 100);
}

TEST(Pool, WaitsForWhatRunsAndForWhatWaits) {
        Pool pool;
        std::atomic<int> ran{0};
        for (int round = 0; round < 50; round++) {
                for (int i = 0; i < 10; i++)
                        pool.submit([&] { ran++; });
                pool.wait_idle();
                EXPECT_EQ(ran, 10 * (round + 1));
        }
}

TEST(Pool, ATaskMayHoldWhatOnlyMovesAndWhatIsLarge) {
        auto owned = std::make_unique<int>(7);
        std::array<int, 100> large{};
        std::iota(large.begin(), large.end(), 0);
        std::atomic<int> sum{0};
        Pool pool;
        pool.submit([&sum, owned = std::move(owned)] { sum += *owned; });
        pool.submit([&sum, large] { sum += std::accumulate(large.begin(), large.end(), 0); });
        pool.wait_idle();
        EXPECT_EQ(sum, 7 + 4950);
}

TEST(Pool, HoldsExactlyAsManyTasksAsItsCapacity) {
        for (const std::size_t capacity : {1U, 2U, 3U, 7U, 64U, 100U}) {
                Pool pool({.capacity = capacity});
                std::size_t accepted = 0;
                {
                        const Blocker blocker(pool);
                        while (pool.try_submit([] {}))
                                accepted++;
                }
                EXPECT_EQ(accepted, capacity);
        }
}

TEST(Pool, WhatIsNotAcceptedStaysWithTheCaller) {
        Pool pool({.capacity = 1});
        const Blocker blocker(pool);
        ASSERT_TRUE(pool.try_submit([] {}));
        bool has_run = false;
        Task task([&] { has_run = true; });
        EXPECT_FALSE(pool.try_submit(std::move(task)));
        ASSERT_TRUE(task);
        EXPECT_FALSE(pool.submit_until(std::chrono::steady_clock::now() + 5ms, std::move(task)));
        ASSERT_TRUE(task);
        task();
        EXPECT_TRUE(has_run);
}

TEST(Pool, AFullQueueMakesTheSubmitterWait) {
        Pool pool({.capacity = 4});
        std::atomic<int> ran{0};
        std::atomic<int> submitted{0};
        std::thread submitter;
        {
                const Blocker blocker(pool);
                submitter = std::thread([&] {
                        for (int i = 0; i < 100; i++) {
                                pool.submit([&] { ran++; });
                                submitted++;
                        }
                });
                while (submitted < 4)
                        std::this_thread::yield();
                std::this_thread::sleep_for(10ms);
                EXPECT_EQ(submitted, 4);
        }
        submitter.join();
        pool.wait_idle();
        EXPECT_EQ(ran, 100);
}

TEST(Pool, WhoHasGivenUpKeepsNobodyFromAFreePlace) {
        std::atomic<int> begun{0};
        std::atomic<int> may_end{0};
        const Pool all;
        Pool pool({.cpus = {all.cpus().front()}, .capacity = 4});
        auto make = [&, number = 0]() mutable {
                return [&, mine = ++number] {
                        begun++;
                        while (may_end < mine)
                                std::this_thread::sleep_for(100us);
                };
        };
        pool.submit(make());
        while (begun < 1)
                std::this_thread::yield();
        for (int i = 0; i < 4; i++)
                ASSERT_TRUE(pool.try_submit(make()));
        EXPECT_FALSE(pool.submit_until(std::chrono::steady_clock::now() + 1ms, make()));
        may_end = 1;
        while (begun < 2)
                std::this_thread::yield();
        EXPECT_TRUE(pool.try_submit(make()));  // there are three
        EXPECT_FALSE(pool.try_submit(make()));
        may_end = 100;
}

TEST(Pool, AFreePlaceIsGivenAtOnce) {
        const Pool all;
        Pool pool({.cpus = {all.cpus().front()}, .capacity = 8});
        constexpr int kTasks = 200;
        std::atomic<int> submitted{0};
        std::atomic<int> ran{0};
        // Each waits until the queue is full again behind it.
        for (int i = 0; i < kTasks; i++) {
                pool.submit([&, wanted = std::min(i + 9, kTasks)] {
                        while (submitted < wanted)
                                std::this_thread::yield();
                        ran++;
                });
                submitted++;
        }
        pool.wait_idle();
        EXPECT_EQ(ran, kTasks);
}

TEST(Pool, WhoWaitsGetsThePlaceThatThereIsAtItsDeadline) {
        const Pool all;
        std::atomic<int> begun{0};
        std::atomic<int> may_end{0};
        Pool pool({.cpus = {all.cpus().front()}, .capacity = 64});
        const auto make = [&](int number) {
                return [&, number] {
                        begun++;
                        while (may_end < number)
                                std::this_thread::sleep_for(100us);
                };
        };
        pool.submit(make(1));
        while (begun < 1)
                std::this_thread::yield();
        for (int i = 2; i < 66; i++)
                ASSERT_TRUE(pool.try_submit(make(i)));
        EXPECT_FALSE(pool.submit_until(std::chrono::steady_clock::now() + 1ms, make(66)));
        std::thread waiter([&] {
                EXPECT_TRUE(pool.submit_until(std::chrono::steady_clock::now() + 10s, make(66)));
        });
        std::this_thread::sleep_for(5ms);
        may_end = 20;
        waiter.join();
        while (begun < 21)
                std::this_thread::yield();
        EXPECT_TRUE(pool.submit_until(std::chrono::steady_clock::now() - 1s, make(66)));
        EXPECT_TRUE(pool.try_submit(make(66)));
        may_end = 100;
}

TEST(Pool, TasksFromOutsideDoNotStarveBesideLongOnesOfTasks) {
        Pool pool;
        std::atomic<int> inner{0};
        std::atomic<bool> is_over{false};
        const auto again = [&](const auto& self) -> void {
                std::this_thread::sleep_for(1ms);
                inner++;
                if (!is_over)
                        pool.submit([&self] { self(self); });
        };
        for (std::size_t i = 0; i < 4 * pool.size(); i++)
                pool.submit([&] { again(again); });
        while (inner < 10)
                std::this_thread::yield();
        std::atomic<int> ran{0};
        for (int i = 0; i < 100; i++)
                pool.submit([&] { ran++; });
        const int inner_before = inner;
        while (ran < 100)
                std::this_thread::sleep_for(100us);
        // A lane takes one inner task at most for each outside task. Each lane was inside of one.
        EXPECT_LT(inner - inner_before, 100 + static_cast<int>(pool.size()));
        is_over = true;
        pool.wait_idle();
}

namespace {

/// A callable whose move, into the queue or out of it, ends when another task has run.
class MovesSlowly {
public:
        MovesSlowly(std::atomic<bool>& moves, const std::atomic<bool>& has_run,
                    const std::function<void()>* then = nullptr)
                : moves_(&moves), has_run_(&has_run), then_(then) {}
        MovesSlowly(MovesSlowly&& other) noexcept
                : moves_(other.moves_), has_run_(other.has_run_), then_(other.then_) {
                *moves_ = true;
                const auto end = std::chrono::steady_clock::now() + 10s;
                while (!*has_run_ && std::chrono::steady_clock::now() < end)
                        std::this_thread::yield();
        }
        MovesSlowly(const MovesSlowly&) = delete;
        MovesSlowly& operator=(const MovesSlowly&) = delete;
        MovesSlowly& operator=(MovesSlowly&&) = delete;
        ~MovesSlowly() = default;
        void operator()() const {
                EXPECT_TRUE(*has_run_);
                if (then_ != nullptr)
                        (*then_)();
        }

private:
        std::atomic<bool>* moves_;
        const std::atomic<bool>* has_run_;
        const std::function<void()>* then_;
};

}  // namespace

TEST(Pool, ATaskThatIsSlowlyMovedHidesNoOther) {
        Pool pool;
        std::atomic<bool> moves{false};
        std::atomic<bool> has_run{false};
        std::thread submitter([&] { pool.submit(MovesSlowly(moves, has_run)); });
        while (!moves)
                std::this_thread::yield();
        pool.submit([&] { has_run = true; });
        submitter.join();
        pool.wait_idle();
        EXPECT_TRUE(has_run);
}

TEST(Pool, IsIdleThoughATaskWasTakenOutOfOrderAndTheLaneThatTookTheLastOneStops) {
        Pool pool;
        if (pool.size() < 2)
                GTEST_SKIP() << "one CPU";
        std::atomic<bool> moves{false};
        std::atomic<bool> may_come{false};
        std::atomic<bool> has_run{false};
        const std::function<void()> leave_it_to_others = [&] {
                auto cpus = pool.cpus();
                std::erase(cpus, sched_getcpu());
                pool.set_mask(cpus);
        };
        std::thread submitter(
                [&] { pool.submit(MovesSlowly(moves, may_come, &leave_it_to_others)); });
        while (!moves)
                std::this_thread::yield();
        pool.submit([&] { has_run = true; });  // is behind it
        while (!has_run)
                std::this_thread::yield();
        std::this_thread::sleep_for(20ms);  // all lanes sleep
        may_come = true;
        submitter.join();
        pool.wait_idle();
}

TEST(Pool, AFullQueueMayMakeTheSubmitterRunTheTask) {
        Pool pool({.capacity = 1, .when_full = WhenFull::RunInCaller});
        const Blocker blocker(pool);
        std::thread::id ran_by;
        pool.submit([] {});
        pool.submit([&] { ran_by = std::this_thread::get_id(); });
        EXPECT_EQ(ran_by, std::this_thread::get_id());
}

TEST(Pool, WhoRunsATaskItselfRunsNoOtherInsideOfIt) {
        const auto caller = std::this_thread::get_id();
        std::atomic<int> ran{0};
        Pool pool({.capacity = 1, .when_full = WhenFull::RunInCaller});
        {
                const Blocker blocker(pool);
                pool.submit([] {});
                bool is_inside = false;
                pool.submit([&] {
                        is_inside = true;
                        for (int i = 0; i < 100; i++)
                                pool.submit([&] {
                                        EXPECT_NE(std::this_thread::get_id(), caller);
                                        ran++;
                                });
                        EXPECT_FALSE(pool.try_submit([] {}));
                });
                EXPECT_TRUE(is_inside);
                EXPECT_EQ(ran, 0);
        }
        pool.wait_idle();
        EXPECT_EQ(ran, 100);
}

TEST(Pool, ATaskForACpuRunsThere) {
        Pool pool;
        for (const int cpu : pool.cpus()) {
                std::atomic<int> ran_on{-1};
                ASSERT_TRUE(pool.submit_to(cpu, [&] { ran_on = sched_getcpu(); }));
                pool.wait_idle();
                EXPECT_EQ(ran_on, cpu);
        }
        EXPECT_THROW((void)pool.submit_to(-1, [] {}), std::out_of_range);
}

TEST(Pool, OnlyLanesInTheMaskRunTasks) {
        Pool pool;
        if (pool.size() < 2)
                GTEST_SKIP() << "one CPU";
        for (const int cpu : pool.cpus()) {
                pool.set_mask(std::vector<int>{cpu});
                EXPECT_EQ(pool.mask(), std::vector<int>{cpu});
                std::atomic<int> elsewhere{0};
                for (int i = 0; i < 200; i++)
                        pool.submit([&, cpu] { elsewhere += sched_getcpu() != cpu ? 1 : 0; });
                pool.wait_idle();
                EXPECT_EQ(elsewhere, 0);
        }
}

TEST(Pool, AMaskedLanesTasksAreRunByOthers) {
        Pool pool;
        if (pool.size() < 2)
                GTEST_SKIP() << "one CPU";
        const auto cpus = pool.cpus();
        pool.set_mask(std::vector<int>{cpus[0]});
        std::atomic<int> ran_on{-1};
        ASSERT_TRUE(pool.submit_to(cpus[1], [&] { ran_on = sched_getcpu(); }));
        pool.wait_idle();
        EXPECT_EQ(ran_on, cpus[0]);
}

TEST(Pool, AMaskWithoutLanesChangesNothing) {
        Pool pool;
        const auto before = pool.mask();
        EXPECT_THROW(pool.set_mask(std::vector<int>{}), std::invalid_argument);
        EXPECT_THROW(pool.set_mask(std::vector<int>{100'000}), std::invalid_argument);
        cpu_set_t none;
        CPU_ZERO(&none);
        EXPECT_THROW(pool.set_mask(none), std::invalid_argument);
        EXPECT_EQ(pool.mask(), before);
}

TEST(Pool, HandsBackWhatHasNotBegun) {
        Pool pool;
        std::atomic<int> ran{0};
        std::vector<Task> rest;
        std::thread stopper;
        {
                const Blocker blocker(pool);
                for (int i = 0; i < 10; i++)
                        pool.submit([&] { ran++; });
                stopper = std::thread([&] { rest = pool.stop_and_hand_back(); });
                while (true) {
                        try {
                                if (!pool.try_submit([] {}))
                                        continue;
                        } catch (const std::logic_error&) {
                                break;
                        }
                }
        }
        stopper.join();
        EXPECT_EQ(ran, 0);
        EXPECT_GE(rest.size(), 10U);
        for (auto& task : rest)
                task();
        EXPECT_EQ(ran, 10);
}

TEST(Pool, SaysWhatIsWrongWithItsOptions) {
        EXPECT_THROW(Pool({.capacity = 0}), std::invalid_argument);
        EXPECT_THROW(Pool({.lane_capacity = 0}), std::invalid_argument);
        EXPECT_THROW(Pool({.spin = -1ns}), std::invalid_argument);
        EXPECT_THROW(Pool({.cpus = {100'000}}), std::invalid_argument);
        EXPECT_THROW(Pool({.capacity = (1U << 24) + 1}), std::invalid_argument);
        EXPECT_THROW(Pool({.lane_capacity = (1U << 20) + 1}), std::invalid_argument);
        EXPECT_THROW(Pool({.spin = 1s + 1ns}), std::invalid_argument);
        EXPECT_THROW(Pool({.cpus = {-1}}), std::invalid_argument);
}

TEST(Pool, HasOneLaneForACpuHoweverOftenItIsNamed) {
        const int here = Pool().cpus().front();
        Pool pool({.cpus = {here, -5, here, 100'000, here}});
        EXPECT_EQ(pool.cpus(), std::vector<int>{here});
        EXPECT_EQ(pool.async([] { return sched_getcpu(); }).get(), here);
}

TEST(Pool, RefusesWhatWouldWaitForItself) {
        Pool pool;
        std::atomic<int> refused{0};
        const auto expect_refusal = [&](auto&& call) {
                pool.submit([&] {
                        try {
                                call();
                        } catch (const std::logic_error&) {
                                refused++;
                        }
                });
                pool.wait_idle();
        };
        expect_refusal([&] { pool.wait_idle(); });
        expect_refusal([&] { pool.stop(); });
        expect_refusal([&] { (void)pool.stop_and_hand_back(); });
        EXPECT_EQ(refused, 3);
}

TEST(Pool, AcceptsNothingAfterItsEnd) {
        Pool pool;
        pool.stop();
        EXPECT_THROW(pool.submit([] {}), std::logic_error);
        EXPECT_THROW((void)pool.try_submit([] {}), std::logic_error);
}

TEST(Pool, CountsWhatItsLanesDo) {
        Pool pool;
        for (int i = 0; i < 100; i++)
                pool.submit([] {});
        pool.wait_idle();
        std::uint64_t executed = 0;
        for (const auto& lane : pool.statistics())
                executed += lane.executed;
        EXPECT_EQ(executed, 100U);
}
