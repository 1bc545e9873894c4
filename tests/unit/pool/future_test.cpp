// SPDX-License-Identifier: MIT
// The promises of a future about results, exceptions, waiting, following and its end.
#include <threadcount/pool.hpp>

#include "pool/blocker.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <optional>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using threadcount::Future;
using threadcount::FutureCancelled;
using threadcount::Pool;
using threadcount::Task;

namespace {

/// A pool with one lane only, so that whatever is needed besides is missed.
Pool one_lane() {
        const Pool all;
        return Pool({.cpus = {all.cpus()[0]}, .lane_capacity = 4});
}

using Clock = std::chrono::steady_clock;

}  // namespace

TEST(Future, GivesWhatTheTaskReturns) {
        Pool pool;
        EXPECT_EQ(pool.async([] { return 7; }).get(), 7);
        EXPECT_EQ(pool.async([] { return std::string(100, 'x'); }).get(), std::string(100, 'x'));
        EXPECT_EQ(*pool.async([] { return std::make_unique<int>(3); }).get(), 3);
        std::array<int, 100> large{};
        std::iota(large.begin(), large.end(), 0);
        EXPECT_EQ(pool.async([large] { return large; }).get(), large);
        bool has_run = false;
        pool.async([&] { has_run = true; }).get();
        EXPECT_TRUE(has_run);
}

TEST(Future, MayBeOfAReference) {
        Pool pool;
        int there = 0;
        EXPECT_EQ(&pool.async([&]() -> int& { return there; }).get(), &there);
        EXPECT_EQ(&pool.async([&]() -> int& {
                               return there;
                       }).then([](int& it) -> int& {
                                 return ++it;
                         }).get(),
                  &there);
        EXPECT_EQ(there, 1);
}

TEST(Future, MayBeOfWhatIsLargeOrAlignedToMoreThanALine) {
        struct alignas(256) Wide {
                std::array<int, 1000> numbers;
        };
        Pool pool;
        std::vector<Future<Wide>> futures;
        for (int i = 0; i < 8; i++)
                futures.push_back(pool.async([i] { return Wide{{i}}; }));
        for (int i = 0; i < 8; i++)
                EXPECT_EQ(futures[static_cast<std::size_t>(i)].get().numbers[0], i);
        auto& where =
                pool.async([wide = Wide{{7}}]() mutable -> Wide& {
                            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&wide) % alignof(Wide), 0U);
                            static Wide copy;
                            return copy = wide;
                    }).get();
        EXPECT_EQ(where.numbers[0], 7);
}

namespace {

template <std::size_t Alignment>
struct alignas(Alignment) ThrowsWhenCopied {
        ThrowsWhenCopied() = default;
        ThrowsWhenCopied(const ThrowsWhenCopied&) { throw std::runtime_error("copied"); }
        void operator()() const {}
};

template <std::size_t Alignment>
void copy_what_throws(Pool& pool) {
        const ThrowsWhenCopied<Alignment> task;
        EXPECT_THROW((void)pool.async(task), std::runtime_error);
}

}  // namespace

TEST(Future, OfWhatCannotBeCopiedIsNotMadeAndLeavesNoMemory) {
        Pool pool;
        copy_what_throws<8>(pool);
        copy_what_throws<32>(pool);
        copy_what_throws<128>(pool);
}

TEST(Future, GivesWhatTheTaskThrows) {
        Pool pool;
        auto future = pool.async([]() -> int { throw std::out_of_range("far"); });
        future.wait();
        EXPECT_TRUE(future.is_ready());
        try {
                (void)future.get();
                FAIL();
        } catch (const std::out_of_range& error) {
                EXPECT_STREQ(error.what(), "far");
        }
        EXPECT_FALSE(future.valid());
}

TEST(Future, GivesItsResultOnce) {
        Pool pool;
        auto future = pool.async([] { return 1; });
        EXPECT_EQ(future.get(), 1);
        EXPECT_FALSE(future.valid());
        EXPECT_THROW((void)future.get(), std::logic_error);
        EXPECT_THROW(future.wait(), std::logic_error);
        EXPECT_THROW((void)future.then([](int) {}), std::logic_error);
        const Future<void> none;
        EXPECT_THROW((void)none.is_ready(), std::logic_error);
}

TEST(Future, IsNotReadyBeforeTheTaskHasRun) {
        Pool pool;
        std::optional<Blocker> blocker(pool);
        auto future = pool.async([] { return 1; });
        EXPECT_FALSE(future.is_ready());
        EXPECT_FALSE(future.wait_for(0ns));
        EXPECT_FALSE(future.wait_for(-1ns));
        EXPECT_FALSE(future.wait_until(Clock::time_point::min()));
        blocker.reset();
        EXPECT_TRUE(future.wait_until(Clock::time_point::max()));
        EXPECT_TRUE(future.wait_for(std::chrono::nanoseconds::max()));
        EXPECT_TRUE(future.wait_until(Clock::time_point::min()));
        EXPECT_EQ(future.get(), 1);
}

TEST(Future, NobodyGivesUpBeforeTheDeadline) {
        Pool pool;
        const Blocker blocker(pool);
        const auto future = pool.async([] {});
        for (int i = 0; i < 5; i++) {
                const auto deadline = Clock::now() + 2ms;
                EXPECT_FALSE(future.wait_until(deadline));
                EXPECT_GE(Clock::now(), deadline);
        }
}

TEST(Future, WhoGivesUpHoldsNothingThatTheTaskNeeds) {
        Pool pool;
        std::vector<Future<int>> futures;
        {
                const Blocker blocker(pool);
                for (int i = 0; i < 20; i++)
                        futures.push_back(pool.async([i] { return i; }));
                for (const auto& future : futures)
                        EXPECT_FALSE(future.wait_for(100us));
                for (const auto& future : futures)
                        EXPECT_FALSE(future.wait_for(100us));
        }
        for (int i = 0; i < 20; i++)
                EXPECT_EQ(futures[static_cast<std::size_t>(i)].get(), i);
}

TEST(Future, SeveralMayWaitForOne) {
        Pool pool;
        Future<int> future;
        std::vector<std::thread> waiters;
        std::atomic<int> returned{0};
        {
                const Blocker blocker(pool);
                future = pool.async([] { return 5; });
                for (int i = 0; i < 4; i++)
                        waiters.emplace_back([&] {
                                future.wait();
                                returned++;
                        });
                std::this_thread::sleep_for(5ms);
                EXPECT_EQ(returned, 0);
        }
        for (auto& waiter : waiters)
                waiter.join();
        EXPECT_EQ(future.get(), 5);
}

TEST(Future, ATaskThatIsCancelledNeverRuns) {
        Pool pool;
        std::atomic<int> ran{0};
        const auto held = std::make_shared<int>(0);
        {
                const Blocker blocker(pool);
                auto future = pool.async([&ran, held] { ran++; });
                EXPECT_EQ(held.use_count(), 2);
                EXPECT_TRUE(future.cancel());
                EXPECT_EQ(held.use_count(), 1);
                EXPECT_FALSE(future.cancel());
                EXPECT_TRUE(future.is_ready());
                EXPECT_THROW(future.get(), FutureCancelled);
        }
        pool.wait_idle();
        EXPECT_EQ(ran, 0);
}

TEST(Future, ATaskThatHasBegunIsNotCancelled) {
        Pool pool;
        std::atomic<bool> runs{false};
        std::atomic<bool> may_end{false};
        auto future = pool.async([&] {
                runs = true;
                while (!may_end)
                        std::this_thread::yield();
                return 1;
        });
        while (!runs)
                std::this_thread::yield();
        EXPECT_FALSE(future.cancel());
        may_end = true;
        EXPECT_EQ(future.get(), 1);
        auto done = pool.async([] { return 2; });
        done.wait();
        EXPECT_FALSE(done.cancel());
        EXPECT_EQ(done.get(), 2);
}

TEST(Future, CancellingWakesWhoWaits) {
        Pool pool;
        const Blocker blocker(pool);
        const auto future = pool.async([] {});
        std::thread waiter([&] { future.wait(); });
        std::this_thread::sleep_for(5ms);
        EXPECT_TRUE(future.cancel());
        waiter.join();
}

TEST(Future, ADroppedOneLetsTheTaskRun) {
        std::atomic<int> ran{0};
        const auto held = std::make_shared<int>(0);
        Pool pool;
        {
                const Blocker blocker(pool);
                for (int i = 0; i < 10; i++)
                        (void)pool.async([&ran, held] { ran++; });
        }
        pool.wait_idle();
        EXPECT_EQ(ran, 10);
        EXPECT_EQ(held.use_count(), 1);
}

TEST(Future, WhatTheTaskHoldsIsDestroyedBeforeItIsReady) {
        Pool pool;
        for (int i = 0; i < 1000; i++) {
                const auto held = std::make_shared<int>(0);
                auto future = pool.async([held] {});
                future.wait();
                EXPECT_EQ(held.use_count(), 1);
        }
}

TEST(Future, AWaitingTaskRunsWhatItWaitsFor) {
        auto pool = one_lane();
        const auto fib = [&](auto& self, int n) -> int {
                if (n < 2)
                        return n;
                auto other = pool.async([&self, n] { return self(self, n - 1); });
                const int mine = self(self, n - 2);
                return mine + other.get();
        };
        EXPECT_EQ(pool.async([&] { return fib(fib, 15); }).get(), 610);
}

namespace {

/// Returns the number of tasks that wait for each other, one inside of the other. It is the number
/// up to the task that was told that it cannot wait, if one was; ret_error is what it was told.
int nest(Pool& pool, int tasks, std::string& ret_error) {
        if (tasks == 0)
                return 0;
        auto next = pool.async([&, tasks] { return nest(pool, tasks - 1, ret_error); });
        try {
                next.wait();
        } catch (const std::logic_error& error) {
                ret_error = error.what();
                return 0;
        }
        return 1 + next.get();
}

}  // namespace

TEST(Future, ATaskWaitsInsideOfOthersUpToADepthAndSaysWhatToDoBeyondIt) {
        auto pool = one_lane();
        std::string error;
        EXPECT_EQ(pool.async([&] { return nest(pool, 1999, error); }).get(), 1999);
        EXPECT_EQ(error, "");
        EXPECT_LT(pool.async([&] { return nest(pool, 2'010, error); }).get(), 2'010);
        EXPECT_NE(error.find("then()"), std::string::npos) << error;
        error.clear();
        EXPECT_EQ(pool.async([&] { return nest(pool, 10, error); }).get(), 10);
        EXPECT_EQ(error, "");
}

TEST(Future, AWaitingTaskSleepsWhileAnotherLaneRunsWhatItWaitsFor) {
        Pool pool;
        if (pool.size() < 2)
                GTEST_SKIP() << "one CPU";
        std::atomic<bool> runs{false};
        std::atomic<bool> may_end{false};
        auto inner = pool.async([&] {
                runs = true;
                while (!may_end)
                        std::this_thread::yield();
                return 3;
        });
        while (!runs)
                std::this_thread::yield();
        auto outer = pool.async([&] { return inner.get() + 1; });
        EXPECT_FALSE(outer.wait_for(5ms));
        may_end = true;
        EXPECT_EQ(outer.get(), 4);
}

TEST(Future, TasksOfTwoPoolsMayWaitForEachOther) {
        auto one = one_lane();
        auto other = one_lane();
        std::atomic<int> begun{0};
        const auto ask = [&](Pool& mine, Pool& its) {
                return mine.async([&] {
                        begun++;
                        while (begun < 2)
                                std::this_thread::yield();
                        return its.async([&] {
                                          return mine.async([] { return 1; }).get() + 1;
                                  }).get() +
                               1;
                });
        };
        auto first = ask(one, other);
        auto second = ask(other, one);
        EXPECT_EQ(first.get(), 3);
        EXPECT_EQ(second.get(), 3);
}

TEST(FutureThen, RunsWithTheResultOnThePool) {
        Pool pool;
        const auto here = std::this_thread::get_id();
        auto future = pool.async([] { return std::make_unique<int>(20); })
                              .then([&](std::unique_ptr<int> it) {
                                      EXPECT_NE(std::this_thread::get_id(), here);
                                      return *it + 1;
                              })
                              .then([](int it) { return std::to_string(it); });
        EXPECT_EQ(future.get(), "21");
        bool has_run = false;
        pool.async([] {}).then([&] { has_run = true; }).get();
        EXPECT_TRUE(has_run);
}

TEST(FutureThen, OfOneThatIsReadyRunsOnThePoolToo) {
        Pool pool;
        auto first = pool.async([] { return 1; });
        first.wait();
        const auto here = std::this_thread::get_id();
        EXPECT_TRUE(first.then([here](int) { return std::this_thread::get_id() != here; }).get());
        EXPECT_FALSE(first.valid());
}

TEST(FutureThen, PassesExceptionsOn) {
        Pool pool;
        bool has_run = false;
        auto future = pool.async([]() -> int {
                                  throw std::out_of_range("far");
                          }).then([&](int) {
                                    has_run = true;
                            }).then([&] { has_run = true; });
        EXPECT_THROW(future.get(), std::out_of_range);
        EXPECT_FALSE(has_run);
        EXPECT_THROW(pool.async([] {}).then([]() -> int { throw std::range_error(""); }).get(),
                     std::range_error);
}

TEST(FutureThen, PassesCancellationOn) {
        Pool pool;
        bool has_run = false;
        const Blocker blocker(pool);
        auto first = pool.async([] { return 1; });
        EXPECT_TRUE(first.cancel());
        auto next = first.then([&](int) { has_run = true; });
        EXPECT_FALSE(next.is_ready());
        auto second = pool.async([] { return 1; }).then([](int it) { return it; });
        EXPECT_TRUE(second.cancel());
        EXPECT_THROW((void)second.get(), FutureCancelled);
        EXPECT_FALSE(has_run);
}

TEST(FutureThen, ThatIsCancelledLeavesTheFirst) {
        Pool pool;
        bool first_has_run = false;
        bool second_has_run = false;
        {
                const Blocker blocker(pool);
                auto second = pool.async([&] { first_has_run = true; }).then([&] {
                        second_has_run = true;
                });
                EXPECT_TRUE(second.cancel());
        }
        pool.wait_idle();
        EXPECT_TRUE(first_has_run);
        EXPECT_FALSE(second_has_run);
}

TEST(FutureThen, AWaitingTaskRunsAllThatComesBefore) {
        auto pool = one_lane();
        auto outer = pool.async([&] {
                auto future = pool.async([] { return 0; });
                for (int i = 0; i < 10; i++)
                        future = future.then([](int it) { return it + 1; });
                return future.get();
        });
        EXPECT_EQ(outer.get(), 10);
}

namespace {

constexpr int kChain = 10'000;

Future<int> chain(Future<int> future) {
        for (int i = 0; i < kChain; i++)
                future = future.then([](int it) { return it + 1; });
        return future;
}

/// The tasks of a pool that was stopped before it ran a chain, `ret_last` being its end.
std::vector<Task> stopped_with(Future<int>& ret_last) {
        Pool pool;
        std::vector<Task> rest;
        std::thread stopper;
        {
                const Blocker blocker(pool);
                ret_last = chain(pool.async([] { return 0; }));
                stopper = std::thread([&] { rest = pool.stop_and_hand_back(); });
                wait_until_closed(pool);
        }
        stopper.join();
        return rest;
}

}  // namespace

TEST(FutureThen, TenThousandMayFollowOneAnother) {
        Pool pool;
        Future<int> last;
        {
                const Blocker blocker(pool);
                last = chain(pool.async([] { return 0; }));
        }
        EXPECT_EQ(last.get(), kChain);
}

TEST(FutureThen, AWaitingTaskRunsTenThousandThatComeBefore) {
        auto pool = one_lane();
        auto outer = pool.async([&] { return chain(pool.async([] { return 0; })).get(); });
        EXPECT_EQ(outer.get(), kChain);
}

TEST(FutureThen, TenThousandMayBeRunBySomebodyWhoIsNoLane) {
        Future<int> last;
        auto rest = stopped_with(last);
        EXPECT_FALSE(last.is_ready());
        for (auto& task : rest)
                task();
        EXPECT_EQ(last.get(), kChain);
}

TEST(FutureThen, TenThousandAreCancelledWithTheFirst) {
        Future<int> last;
        (void)stopped_with(last);
        EXPECT_TRUE(last.is_ready());
        EXPECT_THROW((void)last.get(), FutureCancelled);
}

TEST(FutureEnd, APoolThatWasStoppedMakesNone) {
        Pool pool;
        pool.stop();
        EXPECT_THROW((void)pool.async([] { return 1; }), std::logic_error);
}

TEST(FutureEnd, AFutureMayOutliveItsPool) {
        Future<std::string> future;
        Future<int> failed;
        {
                Pool pool;
                future = pool.async([] { return std::string("here"); });
                failed = pool.async([]() -> int { throw std::range_error(""); });
        }
        EXPECT_TRUE(future.is_ready());
        EXPECT_FALSE(future.cancel());
        EXPECT_EQ(future.get(), "here");
        EXPECT_THROW((void)failed.get(), std::range_error);
}

TEST(FutureEnd, AResultThatNobodyGetsIsDestroyed) {
        const auto held = std::make_shared<int>(0);
        Pool pool;
        for (int i = 0; i < 100; i++) {
                (void)pool.async([held] { return held; });
                const auto waited = pool.async([held] { return held; });
                waited.wait();
        }
        pool.wait_idle();
        EXPECT_EQ(held.use_count(), 1);
}
