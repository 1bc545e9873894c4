// SPDX-License-Identifier: MIT
// Threads from outside that take part: they have a CPU already, and there is one at a time.
#include <threadcount/pool.hpp>

#include "pool/blocker.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <sched.h>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using threadcount::Pool;
using threadcount::Task;
using threadcount::WhenFull;

namespace {

/// Takes part in a pool's work, so that nobody else can, until it goes.
class OnlyGuest {
public:
        explicit OnlyGuest(Pool& pool) : thread_([this, &pool] { take_part(pool); }) {
                while (!takes_part_)
                        std::this_thread::yield();
        }
        ~OnlyGuest() {
                is_over_ = true;
                thread_.join();
        }
        OnlyGuest(const OnlyGuest&) = delete;
        OnlyGuest& operator=(const OnlyGuest&) = delete;

private:
        void take_part(Pool& pool) {
                pool.fork_join(
                        [this] {
                                takes_part_ = true;
                                while (!is_over_)
                                        std::this_thread::sleep_for(1ms);
                        },
                        [] {});
        }

        std::atomic<bool> takes_part_{false};
        std::atomic<bool> is_over_{false};
        std::thread thread_;
};

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

int leaves(Pool& pool, int depth) {
        if (depth == 0)
                return 1;
        int left = 0;
        int right = 0;
        pool.fork_join([&] { left = leaves(pool, depth - 1); },
                       [&] { right = leaves(pool, depth - 1); });
        return left + right;
}

int iterations(Pool& pool) {
        std::atomic<int> sum{0};
        pool.parallel_for(0, 100, [&](int) { sum++; });
        return sum;
}

/// Waits for what only another thread can do; false: that took seconds.
bool comes(const std::atomic<bool>& it) {
        for (int i = 0; i < 5'000 && !it; i++)
                std::this_thread::sleep_for(1ms);
        return it;
}

}  // namespace

TEST(Guests, WhoMustRunATaskItselfDoesItAlone) {
        Pool pool({.capacity = 1, .when_full = WhenFull::RunInCaller});
        const OnlyGuest guest(pool);
        const Blocker lanes(pool);
        ASSERT_TRUE(pool.try_submit([] {}));
        EXPECT_EQ(iterations(pool), 100);
        EXPECT_EQ(leaves(pool, 5), 32);
        EXPECT_THROW(pool.fork_join([] { throw std::runtime_error("f"); }, [] {}),
                     std::runtime_error);
}

TEST(Guests, WhatIsHandedBackIsRunByWhoeverHasIt) {
        Pool pool;
        auto guest = std::make_unique<OnlyGuest>(pool);
        auto lanes = std::make_unique<Blocker>(pool);
        int sum = 0;
        int count = 0;
        std::thread looper([&] { sum = iterations(pool); });
        std::thread forker([&] { count = leaves(pool, 1); });
        std::this_thread::sleep_for(50ms);
        std::vector<Task> rest;
        std::thread stopper([&] { rest = pool.stop_and_hand_back(); });
        wait_until_closed(pool);
        guest.reset();
        while (pool.width() > 0)
                std::this_thread::yield();
        lanes.reset();
        stopper.join();
        for (auto& task : rest)
                task();
        looper.join();
        forker.join();
        EXPECT_EQ(sum, 100);
        EXPECT_EQ(count, 2);
}

TEST(Guests, AreHelpedByLanesOnOtherCpusOnly) {
        Pool pool;
        if (pool.size() < 2)
                GTEST_SKIP() << "one CPU";
        const int here = pool.cpus()[0];
        std::thread guest([&] {
                bind_to(here);
                for (int fork = 0; fork < 20; fork++) {
                        // A sleeping thread leaves its CPU to others. A guest that slept in its
                        // join would let the lane of its CPU help, too.
                        std::atomic<bool> is_helped{false};
                        pool.fork_join([&] { EXPECT_TRUE(comes(is_helped)); },
                                       [&] { is_helped = true; });
                }
        });
        guest.join();
        EXPECT_EQ(executed_on(pool, here), 0U);
}

TEST(Guests, DoNotKeepTasksFromTheLaneOnTheirCpu) {
        const int here = Pool().cpus()[0];
        Pool pool({.cpus = {here}});
        std::atomic<bool> ran{false};
        std::thread guest([&] {
                bind_to(here);
                pool.fork_join(
                        [&] {
                                pool.submit([&] { ran = true; });
                                while (!ran)
                                        std::this_thread::sleep_for(100us);
                        },
                        [] {});
        });
        guest.join();
        EXPECT_TRUE(ran);
}

TEST(Guests, LeaveAllLanesToWhoComesNext) {
        Pool pool;
        if (pool.size() < 2)
                GTEST_SKIP() << "one CPU";
        const int here = pool.cpus()[0];
        std::thread([&] {
                bind_to(here);
                pool.parallel_for(0, 20, [](int) { std::this_thread::sleep_for(1ms); });
        }).join();
        // Now a lane forks, and the others help it.
        pool.run([&] { pool.parallel_for(0, 200, [](int) { std::this_thread::sleep_for(1ms); }); });
        EXPECT_GT(executed_on(pool, here), 0U);
}

TEST(Guests, DoNotTakeTheLaneOnTheirCpuForHelp) {
        Pool pool;
        if (pool.size() < 2)
                GTEST_SKIP() << "one CPU";
        const int here = pool.cpus()[0];
        std::thread guest([&] {
                bind_to(here);
                for (int i = 0; i < 20; i++) {
                        // It searches when this is done, or is about to, and gets no CPU.
                        std::atomic<bool> is_searching{false};
                        ASSERT_TRUE(pool.submit_to(here, [&] { is_searching = true; }));
                        while (!is_searching)
                                std::this_thread::yield();
                        std::atomic<bool> is_helped{false};
                        pool.fork_join([&] { EXPECT_TRUE(comes(is_helped)); },
                                       [&] { is_helped = true; });
                }
        });
        guest.join();
}

TEST(Guests, LeaveForksToTheLaneOnTheirCpuWhenTheyGo) {
        Pool pool;
        if (pool.size() < 2)
                GTEST_SKIP() << "one CPU";
        const int here = pool.cpus()[0];
        const int there = pool.cpus()[1];
        pool.set_mask(std::vector<int>{here, there});
        std::thread guest([&] {
                bind_to(here);
                for (int i = 0; i < 5; i++) {
                        std::atomic<bool> is_in{false};
                        std::atomic<bool> is_forked{false};
                        std::atomic<bool> is_helped{false};
                        std::atomic<bool> is_over{false};
                        ASSERT_TRUE(pool.submit_to(there, [&] {
                                while (!is_in)
                                        std::this_thread::yield();
                                pool.fork_join(
                                        [&] {
                                                is_forked = true;
                                                EXPECT_TRUE(comes(is_helped));
                                        },
                                        [&] { is_helped = true; });
                                is_over = true;
                        }));
                        pool.fork_join(
                                [&] {
                                        is_in = true;
                                        while (!is_forked)
                                                std::this_thread::yield();
                                },
                                [] {});
                        while (!is_over)
                                std::this_thread::sleep_for(1ms);
                }
        });
        guest.join();
}
