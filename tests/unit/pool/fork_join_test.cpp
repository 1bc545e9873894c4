// SPDX-License-Identifier: MIT
// Recursion and loops: right results, exceptions, and a stack that stays small.
#include <threadcount/pool.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using threadcount::Pool;
using threadcount::Schedule;
using namespace std::chrono_literals;

namespace {

long fibonacci(Pool& pool, int n) {
        if (n < 2)
                return n;
        long a = 0;
        long b = 0;
        pool.fork_join([&] { a = fibonacci(pool, n - 1); }, [&] { b = fibonacci(pool, n - 2); });
        return a + b;
}

/// Forks below forks, on both sides.
int count_leaves(Pool& pool, int depth) {
        if (depth == 0)
                return 1;
        int left = 0;
        int right = 0;
        pool.fork_join([&] { left = count_leaves(pool, depth - 1); },
                       [&] { right = count_leaves(pool, depth - 1); });
        return left + right;
}

}  // namespace

TEST(ForkJoin, RunsBothHalvesWhoeverCalls) {
        Pool pool;
        EXPECT_EQ(fibonacci(pool, 20), 6765);
        long from_inside = 0;
        pool.run([&] { from_inside = fibonacci(pool, 20); });
        EXPECT_EQ(from_inside, 6765);
}

TEST(ForkJoin, IsForSeveralThreadsFromOutsideToo) {
        Pool pool;
        std::vector<std::thread> threads;
        std::atomic<int> right{0};
        for (int i = 0; i < 4; i++)
                threads.emplace_back([&] {
                        for (int round = 0; round < 20; round++)
                                right += fibonacci(pool, 15) == 610 ? 1 : 0;
                });
        for (auto& thread : threads)
                thread.join();
        EXPECT_EQ(right, 80);
}

TEST(ForkJoin, GoesDeeperThanAnyQueue) {
        Pool pool;
        EXPECT_EQ(count_leaves(pool, 16), 1 << 16);
        // A chain that forks 2,000 times below each other.
        const auto chain = [&](auto& self, int depth) -> int {
                if (depth == 0)
                        return 0;
                int below = 0;
                int here = 0;
                pool.fork_join([&] { below = self(self, depth - 1); }, [&] { here = 1; });
                return below + here;
        };
        EXPECT_EQ(chain(chain, 2'000), 2'000);
}

TEST(ForkJoin, ThrowsWhatAHalfThrows) {
        Pool pool;
        for (int round = 0; round < 200; round++) {
                EXPECT_THROW(pool.fork_join([] { throw std::runtime_error("f"); }, [] {}),
                             std::runtime_error);
                EXPECT_THROW(pool.fork_join([] {}, [] { throw std::runtime_error("g"); }),
                             std::runtime_error);
        }
        EXPECT_EQ(fibonacci(pool, 15), 610);
}

TEST(ForkJoin, OfARunThatThrowsNothingIsLeft) {
        Pool pool;
        EXPECT_THROW(pool.run([] { throw std::out_of_range("run"); }), std::out_of_range);
        pool.run([&] { EXPECT_EQ(fibonacci(pool, 10), 55); });
}

class ParallelFor : public testing::TestWithParam<Schedule> {};

TEST_P(ParallelFor, RunsEachIterationOnce) {
        Pool pool;
        for (const std::size_t size : {0U, 1U, 2U, 3U, 31U, 32U, 33U, 1000U, 100'000U})
                for (const std::size_t grain : {1U, 7U, 1'000'000U}) {
                        std::vector<std::uint8_t> times(size, 0);
                        pool.parallel_for(std::size_t{0}, size, [&](std::size_t i) { times[i]++; },
                                          {.schedule = GetParam(), .grain = grain});
                        EXPECT_TRUE(std::ranges::all_of(times, [](auto n) { return n == 1; }))
                                << size << " by " << grain;
                }
}

TEST_P(ParallelFor, GivesRunsOfNeighboursToWhomItSuits) {
        Pool pool;
        std::vector<int> numbers(12'345);
        std::atomic<std::size_t> seen{0};
        pool.parallel_for(-5, 12'340,
                          [&](int first, int last) {
                                  ASSERT_LT(first, last);
                                  for (int i = first; i < last; i++)
                                          numbers[static_cast<std::size_t>(i + 5)] = i;
                                  seen += static_cast<std::size_t>(last - first);
                          },
                          {.schedule = GetParam()});
        EXPECT_EQ(seen, numbers.size());
        std::vector<int> expected(numbers.size());
        std::iota(expected.begin(), expected.end(), -5);
        EXPECT_EQ(numbers, expected);
}

TEST_P(ParallelFor, BeginAndEndMayBeOfTwoTypes) {
        Pool pool;
        std::vector<std::uint8_t> times(1000, 0);
        pool.parallel_for(0, times.size(), [&](std::size_t i) { times[i]++; },
                          {.schedule = GetParam()});
        pool.parallel_for(std::uint8_t{10}, 1000,
                          [&](int i) { times[static_cast<std::size_t>(i)]++; },
                          {.schedule = GetParam()});
        for (std::size_t i = 0; i < times.size(); i++)
                ASSERT_EQ(times[i], i < 10 ? 1 : 2) << i;
        std::atomic<int> letters{0};
        pool.parallel_for('a', 'z', [&](char) { letters++; }, {.schedule = GetParam()});
        EXPECT_EQ(letters, 'z' - 'a');
        bool ran = false;
        pool.parallel_for(1U, -1, [&](unsigned) { ran = true; }, {.schedule = GetParam()});
        EXPECT_THROW(pool.parallel_for(-1, times.size(), [&](std::size_t) { ran = true; },
                                       {.schedule = GetParam()}),
                     std::invalid_argument);
        EXPECT_FALSE(ran);
}

TEST_P(ParallelFor, MayBeNested) {
        Pool pool;
        std::atomic<int> ran{0};
        pool.parallel_for(0, 40,
                          [&](int) {
                                  pool.parallel_for(0, 50, [&](int) { ran++; },
                                                    {.schedule = GetParam()});
                          },
                          {.schedule = GetParam()});
        EXPECT_EQ(ran, 2000);
}

TEST_P(ParallelFor, ThrowsWhatABodyThrows) {
        Pool pool;
        EXPECT_THROW(pool.parallel_for(0, 1000,
                                       [](int i) {
                                               if (i == 777)
                                                       throw std::runtime_error("777");
                                       },
                                       {.schedule = GetParam()}),
                     std::runtime_error);
}

TEST_P(ParallelFor, SharesWhatTakesLong) {
        Pool pool;
        if (pool.size() < 2)
                GTEST_SKIP() << "one CPU";
        std::atomic<int> waiting{0};
        // Ends only if two threads are in it at the same time.
        pool.parallel_for(0, 2,
                          [&](int) {
                                  waiting++;
                                  while (waiting < 2)
                                          std::this_thread::yield();
                          },
                          {.schedule = GetParam()});
        EXPECT_EQ(waiting, 2);
}

TEST_P(ParallelFor, SharesWhatTakesLongBehindACheapStart) {
        constexpr int kSize = 1000;
        constexpr int kCheap = kSize / 4;
        constexpr int kPatience = (kSize - kCheap) / 2;
        Pool pool;
        if (pool.size() < 2)
                GTEST_SKIP() << "one CPU";
        const auto caller = std::this_thread::get_id();
        std::atomic<bool> is_shared{false};
        std::atomic<int> alone{0};
        std::atomic<int> patience_ms{10'000};
        const auto work = [&](int i) {
                if (i < kCheap)
                        return;
                if (std::this_thread::get_id() != caller)
                        is_shared = true;
                std::this_thread::sleep_for(100us);
                // Half of it is more than what is run without a look at the clock.
                for (; alone > kPatience && !is_shared && patience_ms > 0; patience_ms--)
                        std::this_thread::sleep_for(1ms);
                if (!is_shared)
                        alone++;
        };
        std::this_thread::sleep_for(20ms);  // so that no lane searches, which would help at once
        pool.parallel_for(0, kSize, work, {.schedule = GetParam()});
        EXPECT_TRUE(is_shared);
        EXPECT_LE(alone, kPatience + 1);
}

INSTANTIATE_TEST_SUITE_P(Pool, ParallelFor, testing::Values(Schedule::Static, Schedule::Guided));
