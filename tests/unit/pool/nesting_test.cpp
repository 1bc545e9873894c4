// SPDX-License-Identifier: MIT
// Tasks that wait for tasks, of one pool and of several, in all the ways that there are.
#include <threadcount/pool.hpp>

#include "pool/blocker.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <iterator>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using threadcount::Future;
using threadcount::FutureCancelled;
using threadcount::Pool;
using threadcount::Task;

namespace {

/// The best lane alone: nobody else can run what its tasks wait for.
void narrow(Pool& pool) { pool.set_mask(std::vector<int>{pool.cpus().front()}); }

}  // namespace

TEST(Nesting, OneLaneWaitsForManyOfItsOwnTasks) {
        Pool pool;
        narrow(pool);
        const auto nested = [&pool] { return pool.async([] { return 1; }).get(); };
        EXPECT_EQ(pool.async([&] {
                              int sum = 0;
                              for (int i = 0; i < 200; i++)
                                      sum += pool.async(nested).get();
                              return sum;
                      }).get(),
                  200);
}

TEST(Nesting, OneLaneWaitsForTheOldestOfManyTasksFirstOrTheYoungest) {
        Pool pool;
        narrow(pool);
        for (const bool oldest_first : {true, false})
                pool.run([&] {
                        std::vector<Future<int>> futures;
                        for (int i = 0; i < 100; i++)
                                futures.push_back(pool.async([i] { return i; }));
                        if (!oldest_first)
                                std::ranges::reverse(futures);
                        int sum = 0;
                        for (auto& future : futures)
                                sum += future.get();
                        EXPECT_EQ(sum, 4950);
                });
}

TEST(Nesting, LoopsForksFuturesAndTasksMayBeMixedThoughQueuesAreSmall) {
        Pool pool({.capacity = 4, .lane_capacity = 4});
        std::atomic<int> ran{0};
        const auto run = [&ran] { ran++; };
        std::vector<Future<void>> futures;
        for (int i = 0; i < 50; i++)
                futures.push_back(pool.async([&] {
                        pool.parallel_for(0, 50, [&](int) {
                                pool.fork_join(run, [&] {
                                        pool.submit(run);
                                        pool.async(run).get();
                                });
                        });
                }));
        for (auto& future : futures)
                future.get();
        pool.wait_idle();
        EXPECT_EQ(ran, 50 * 50 * 3);
}

TEST(Nesting, PoolsMayTakePartInEachOther) {
        Pool a;
        Pool b;
        std::atomic<int> ran{0};
        const auto run = [&ran] { ran++; };
        std::vector<Future<void>> futures;
        for (int i = 0; i < 50; i++)
                futures.push_back(a.async([&] {
                        b.parallel_for(0, 50,
                                       [&](int) { a.fork_join(run, [&] { b.submit(run); }); });
                }));
        for (auto& future : futures)
                future.get();
        b.wait_idle();
        EXPECT_EQ(ran, 50 * 50 * 2);
}

TEST(Nesting, PoolsOfOneLaneMayWaitForEachOther) {
        Pool a;
        Pool b;
        narrow(a);
        b.set_mask(std::vector<int>{b.cpus().back()});
        const auto through = [](Pool& first, Pool& second) {
                return first.async([&second] { return second.async([] { return 1; }).get(); });
        };
        std::vector<Future<int>> futures;
        for (int i = 0; i < 50; i++) {
                futures.push_back(through(a, b));
                futures.push_back(through(b, a));
        }
        int sum = 0;
        for (auto& future : futures)
                sum += future.get();
        EXPECT_EQ(sum, 100);
}

TEST(Nesting, APoolMayBeMadeAndUsedInsideOfATask) {
        Pool pool;
        EXPECT_EQ(pool.async([] {
                              Pool inner;
                              std::atomic<int> ran{0};
                              inner.parallel_for(0, 100, [&](int) { ran++; });
                              for (int i = 0; i < 100; i++)
                                      inner.submit([&] { ran++; });
                              inner.wait_idle();
                              // It has one lane where its creator may run: on the lane's CPU.
                              EXPECT_EQ(inner.size(), 1U);
                              return ran.load();
                      }).get(),
                  200);
}

TEST(Nesting, ATreeOfFuturesIsSummedFromItsLeaves) {
        Pool pool;
        const auto sum = [&pool](const auto& self, int depth) -> int {
                if (depth == 0)
                        return 1;
                auto left = pool.async([&, depth] { return self(self, depth - 1); });
                auto right = pool.async([&, depth] { return self(self, depth - 1); });
                return left.get() + right.get();
        };
        EXPECT_EQ(sum(sum, 10), 1024);
}

TEST(Nesting, WhatIsThrownComesThroughFuturesInsideOfFutures) {
        Pool pool;
        const auto fail = [&pool](const auto& self, int depth) -> int {
                if (depth == 0)
                        throw std::domain_error("below");
                return pool.async([&, depth] { return self(self, depth - 1); }).get();
        };
        EXPECT_THROW((void)fail(fail, 20), std::domain_error);
        pool.run([&] { EXPECT_THROW((void)fail(fail, 20), std::domain_error); });
}

namespace {

using Numbers = std::vector<unsigned>;

void sort(Pool& pool, Numbers::iterator begin, Numbers::iterator end) {
        if (end - begin < 50)
                return std::sort(begin, end);
        const auto middle = begin + (end - begin) / 2;
        pool.fork_join([&] { sort(pool, begin, middle); }, [&] { sort(pool, middle, end); });
        std::inplace_merge(begin, middle, end);
}

}  // namespace

TEST(Nesting, SortsByHalves) {
        Pool pool;
        std::mt19937 random(11);
        Numbers numbers(20'000);
        std::ranges::generate(numbers, [&] { return static_cast<unsigned>(random()); });
        auto expected = numbers;
        std::ranges::sort(expected);
        sort(pool, numbers.begin(), numbers.end());
        EXPECT_EQ(numbers, expected);
}

TEST(Nesting, ForksAThousandDeepOnEitherSide) {
        Pool pool;
        std::atomic<int> ran{0};
        const auto left = [&](const auto& self, int depth) -> void {
                ran++;
                if (depth > 0)
                        pool.fork_join([&] { self(self, depth - 1); }, [] {});
        };
        const auto right = [&](const auto& self, int depth) -> void {
                ran++;
                if (depth > 0)
                        pool.fork_join([] {}, [&] { self(self, depth - 1); });
        };
        left(left, 1000);
        right(right, 1000);
        pool.run([&] {
                left(left, 1000);
                right(right, 1000);
        });
        EXPECT_EQ(ran, 4 * 1001);
}

TEST(Nesting, AChainThatIsHandedBackAndForgottenIsCancelledToItsEnd) {
        std::optional<Future<int>> last;
        std::vector<Task> rest;
        {
                Pool pool;
                std::optional<Blocker> blocker(pool);
                last = pool.async([] { return 0; });
                for (int i = 0; i < 10'000; i++)
                        last = last->then([](int n) { return n + 1; });
                rest = hand_back_all(pool, blocker);
        }
        EXPECT_FALSE(last->is_ready());
        rest.clear();
        EXPECT_THROW((void)last->get(), FutureCancelled);
}

TEST(Nesting, TimersRunBesideTasksThatSubmitThemselvesAgain) {
        Pool pool;
        std::atomic<bool> is_over{false};
        const auto again = [&](const auto& self) -> void {
                std::this_thread::sleep_for(1ms);
                if (!is_over)
                        pool.submit([&self] { self(self); });
        };
        for (std::size_t i = 0; i < 4 * pool.size(); i++)
                pool.submit([&] { again(again); });
        std::atomic<int> ran{0};
        for (int i = 0; i < 50; i++)
                pool.submit_after(std::chrono::microseconds{100 * i}, [&] { ran++; });
        const auto end = std::chrono::steady_clock::now() + 10s;
        while (ran < 50 && std::chrono::steady_clock::now() < end)
                std::this_thread::sleep_for(1ms);
        EXPECT_EQ(ran, 50);
        is_over = true;
        pool.wait_idle();
}

TEST(Nesting, ATimerMaySetTheNextOneUntilThePoolStops) {
        std::atomic<int> runs{0};
        Pool pool;
        const auto next = [&](const auto& self) -> void {
                runs++;
                pool.submit_after(1us, [&self] { self(self); });
        };
        pool.submit_after(1us, [&] { next(next); });
        while (runs < 100)
                std::this_thread::yield();
        pool.stop();
        const int at_end = runs;
        EXPECT_GE(at_end, 100);
        std::this_thread::sleep_for(2ms);
        EXPECT_EQ(runs, at_end);
}
