// SPDX-License-Identifier: MIT
// A thread from outside that takes part has a CPU already: it needs no lane there.
#include <threadcount/pool.hpp>

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <sched.h>
#include <thread>

using threadcount::Pool;

namespace {

void bind_to(int cpu) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(static_cast<std::size_t>(cpu), &set);
        ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
}

std::uint64_t executed_on(const Pool& pool, int cpu) {
        for (const auto& lane : pool.statistics())
                if (lane.cpu == cpu)
                        return lane.executed;
        return 0;
}

}  // namespace

TEST(Guest, IsHelpedByLanesOnOtherCpusOnly) {
        Pool pool;
        if (pool.size() < 2)
                GTEST_SKIP() << "one CPU";
        const int here = pool.cpus()[0];
        std::thread guest([&] {
                bind_to(here);
                // Whoever sleeps leaves its CPU to others.
                pool.parallel_for(0, 100, [](int) {
                        std::this_thread::sleep_for(std::chrono::milliseconds(1));
                });
        });
        guest.join();
        EXPECT_EQ(executed_on(pool, here), 0U);
        EXPECT_GT(executed_on(pool, pool.cpus()[1]), 0U);
}

TEST(Guest, DoesNotKeepTasksFromTheLaneOnItsCpu) {
        const int here = Pool().cpus()[0];
        Pool pool({.cpus = {here}});
        std::atomic<bool> ran{false};
        std::thread guest([&] {
                bind_to(here);
                pool.fork_join(
                        [&] {
                                pool.submit([&] { ran = true; });
                                while (!ran)
                                        std::this_thread::sleep_for(std::chrono::microseconds(100));
                        },
                        [] {});
        });
        guest.join();
        EXPECT_TRUE(ran);
}

TEST(Guest, LeavesAllLanesToWhoComesNext) {
        Pool pool;
        if (pool.size() < 2)
                GTEST_SKIP() << "one CPU";
        const int here = pool.cpus()[0];
        std::thread([&] {
                bind_to(here);
                pool.parallel_for(0, 20, [](int) {
                        std::this_thread::sleep_for(std::chrono::milliseconds(1));
                });
        }).join();
        // Now a lane forks, and the others help it.
        pool.run([&] {
                pool.parallel_for(0, 200, [](int) {
                        std::this_thread::sleep_for(std::chrono::milliseconds(1));
                });
        });
        EXPECT_GT(executed_on(pool, here), 0U);
}
