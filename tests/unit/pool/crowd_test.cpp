// SPDX-License-Identifier: MIT
// Many at once: pools, submitters, waiters, masks that change, and ends that come meanwhile.
#include <threadcount/pool.hpp>

#include "pool/blocker.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using threadcount::Pool;
using threadcount::Task;

namespace {

/// Calls `what` in so many threads at the same time.
template <class Do>
void at_once(int count, const Do& what) {
        std::atomic<int> ready{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < count; i++)
                threads.emplace_back([&, i] {
                        ready++;
                        while (ready < count)
                                std::this_thread::yield();
                        what(i);
                });
        for (auto& thread : threads)
                thread.join();
}

}  // namespace

TEST(Crowds, OfPoolsAreAllBusyAtOnce) {
        std::atomic<int> ran{0};
        std::vector<std::unique_ptr<Pool>> pools;
        for (int i = 0; i < 32; i++)
                pools.push_back(std::make_unique<Pool>());
        for (int i = 0; i < 100; i++)
                for (auto& pool : pools)
                        pool->submit([&] { ran++; });
        for (auto& pool : pools)
                pool->wait_idle();
        EXPECT_EQ(ran, 3200);
}

TEST(Crowds, OfPoolsMayComeAndGo) {
        std::atomic<int> ran{0};
        at_once(3, [&](int) {
                for (int i = 0; i < 50; i++) {
                        Pool pool;
                        for (int task = 0; task < i % 4; task++)
                                pool.submit([&] { ran++; });
                        if (i % 2 == 0)
                                pool.async([] {}).get();
                }
        });
        EXPECT_EQ(ran, 3 * (0 + 1 + 2 + 3) * 12 + 3 * (0 + 1));
}

TEST(Crowds, OfSubmittersLoseNothing) {
        Pool pool({.capacity = 16, .lane_capacity = 4});
        std::atomic<int> ran{0};
        at_once(8, [&](int) {
                for (int i = 0; i < 500; i++)
                        pool.submit([&] {
                                pool.submit([&] { ran++; });
                                ran++;
                        });
        });
        pool.wait_idle();
        EXPECT_EQ(ran, 8 * 500 * 2);
}

TEST(Crowds, OfWaitersAreAllTold) {
        Pool pool;
        std::optional<Blocker> blocker(pool);
        std::atomic<int> waiting{0};
        std::atomic<int> told{0};
        std::thread crowd([&] {
                at_once(64, [&](int) {
                        waiting++;
                        pool.wait_idle();
                        told++;
                });
        });
        while (waiting < 64)
                std::this_thread::yield();
        std::this_thread::sleep_for(5ms);
        EXPECT_EQ(told, 0);
        blocker.reset();
        crowd.join();
        EXPECT_EQ(told, 64);
}

TEST(Crowds, WaitForIdlenessAfterEachTaskOfTheirs) {
        Pool pool;
        std::atomic<int> wrong{0};
        at_once(3, [&](int) {
                for (int i = 0; i < 1000; i++) {
                        std::atomic<bool> ran{false};
                        pool.submit([&] { ran = true; });
                        pool.wait_idle();
                        wrong += ran ? 0 : 1;
                }
        });
        EXPECT_EQ(wrong, 0);
}

TEST(Crowds, OfSubmittersThatWaitForAPlaceAreRefusedAtTheEnd) {
        std::atomic<int> ran{0};
        std::atomic<int> accepted{0};
        std::atomic<int> refused{0};
        Pool pool({.capacity = 2});
        std::optional<Blocker> blocker(pool);
        std::thread crowd([&] {
                at_once(8, [&](int) {
                        try {
                                for (;;) {
                                        pool.submit([&] { ran++; });
                                        accepted++;
                                }
                        } catch (const std::logic_error&) {
                                refused++;
                        }
                });
        });
        while (accepted < 2)
                std::this_thread::yield();
        std::this_thread::sleep_for(5ms);
        EXPECT_EQ(accepted, 2);
        std::thread stopper([&] { pool.stop(); });
        crowd.join();  // though no lane is free
        EXPECT_EQ(refused, 8);
        blocker.reset();
        stopper.join();
        EXPECT_EQ(ran, accepted);
}

TEST(Crowds, OfTasksAreRunBeforeTheirPoolIsGone) {
        std::atomic<int> ran{0};
        std::atomic<bool> may_go_on{false};
        {
                Pool pool;
                for (std::size_t lane = 0; lane < pool.size(); lane++)
                        pool.submit([&] {
                                while (!may_go_on)
                                        std::this_thread::yield();
                        });
                for (int i = 0; i < 4000; i++)
                        pool.submit([&] { ran++; });
                may_go_on = true;
        }
        EXPECT_EQ(ran, 4000);
}

namespace {

void submit_until_none_is_left(Pool& pool, std::atomic<int>& left) {
        if (left.fetch_sub(1) > 0)
                pool.submit([&] { submit_until_none_is_left(pool, left); });
}

}  // namespace

TEST(Crowds, OfTasksThatSubmitMoreRunToTheEnd) {
        std::atomic<int> left{20'000};
        {
                Pool pool({.capacity = 4, .lane_capacity = 4});
                for (int i = 0; i < 10; i++)
                        pool.submit([&] { submit_until_none_is_left(pool, left); });
        }
        EXPECT_EQ(left, -10);
}

TEST(Crowds, OfTimersMayRunWhileTheirPoolStops) {
        for (int round = 0; round < 100; round++) {
                std::atomic<int> runs{0};
                std::atomic<int> at_end{0};
                {
                        Pool pool;
                        for (int i = 0; i < 4; i++)
                                pool.submit_every(10us, [&] { runs++; });
                        std::this_thread::sleep_for(100us);
                        pool.stop();
                        at_end = runs.load();
                }
                ASSERT_EQ(runs, at_end);
        }
}

TEST(Crowds, OfTasksOfAllKindsAreRunWhileTheMaskChanges) {
        Pool pool;
        const auto cpus = pool.cpus();
        std::atomic<bool> is_over{false};
        std::thread changer([&] {
                std::mt19937 random(1);
                while (!is_over) {
                        std::vector<int> mask;
                        for (const int cpu : cpus)
                                if (random() % 2 == 0)
                                        mask.push_back(cpu);
                        if (mask.empty())
                                mask.push_back(cpus[random() % cpus.size()]);
                        pool.set_mask(mask);
                        std::this_thread::sleep_for(std::chrono::microseconds{random() % 50});
                }
        });
        constexpr int kTimes = 5000;
        std::atomic<int> ran{0};
        const auto run = [&ran] { ran++; };
        for (int i = 0; i < kTimes; i++) {
                const int cpu = cpus[static_cast<std::size_t>(i) % cpus.size()];
                pool.submit(run);
                while (!pool.submit_to(cpu, run))
                        std::this_thread::yield();
                (void)pool.async(run);
                pool.submit_after(1us, run);
                pool.parallel_for(0, 8, [&](int k) { ran += k == 7 ? 1 : 0; });
                pool.submit([&] { pool.fork_join(run, run); });
        }
        while (ran < 7 * kTimes)
                std::this_thread::sleep_for(1ms);
        is_over = true;
        changer.join();
        pool.wait_idle();
        EXPECT_EQ(ran, 7 * kTimes);
}

TEST(Crowds, OfTasksBehindOneThatHoldsAMaskedLaneAreRunByOthers) {
        std::atomic<bool> is_in{false};
        std::atomic<bool> may_end{false};
        std::atomic<int> ran{0};
        Pool pool;
        if (pool.size() < 2)
                GTEST_SKIP() << "one CPU";
        const auto cpus = pool.cpus();
        ASSERT_TRUE(pool.submit_to(cpus[1], [&] {
                is_in = true;
                while (!may_end)
                        std::this_thread::sleep_for(100us);
        }));
        while (!is_in)
                std::this_thread::yield();
        for (int i = 0; i < 10; i++)
                ASSERT_TRUE(pool.submit_to(cpus[1], [&] { ran++; }));
        EXPECT_EQ(ran, 0);
        pool.set_mask(std::vector<int>{cpus[0]});
        while (ran < 10)
                std::this_thread::yield();
        EXPECT_EQ(pool.async([] { return 1; }).get(), 1);
        may_end = true;
}

TEST(Crowds, OfTasksThatALongOneHasSubmittedAreTakenByOthers) {
        Pool pool;
        if (pool.size() < 2)
                GTEST_SKIP() << "one CPU";
        std::atomic<int> ran{0};
        // Ends only if other lanes run what its own queue holds, and more than that.
        pool.run([&] {
                for (int i = 0; i < 2000; i++)
                        pool.submit([&] { ran++; });
                while (ran < 2000)
                        std::this_thread::yield();
        });
        EXPECT_EQ(ran, 2000);
}

TEST(Crowds, OfTasksForOneCpuRunThereInTheirOrder) {
        Pool pool;
        for (const int cpu : pool.cpus()) {
                std::vector<int> order;
                for (int i = 0; i < 500; i++)
                        ASSERT_TRUE(pool.submit_to(cpu, [&order, i] { order.push_back(i); }));
                pool.wait_idle();
                ASSERT_EQ(order.size(), 500U);
                for (int i = 0; i < 500; i++)
                        ASSERT_EQ(order[static_cast<std::size_t>(i)], i);
        }
}

TEST(Crowds, OfTasksThatAreHandedBackMayBeRunOrForgotten) {
        auto held = std::make_shared<int>(1);
        std::vector<Task> rest;
        std::atomic<int> ran{0};
        {
                Pool pool;
                std::optional<Blocker> blocker(pool);
                for (int i = 0; i < 100; i++)
                        pool.submit([&ran, held] { ran++; });
                rest = hand_back_all(pool, blocker);
        }
        // hand_back_all() has submitted some, too.
        ASSERT_GE(rest.size(), 100U);
        for (std::size_t i = 0; i < rest.size() / 2; i++)
                rest[i]();
        EXPECT_GT(ran, 0);
        EXPECT_EQ(held.use_count(), 1 + 100 - ran);
        const int ran_before = ran;
        rest.clear();
        EXPECT_EQ(ran, ran_before);
        EXPECT_EQ(held.use_count(), 1);
}
