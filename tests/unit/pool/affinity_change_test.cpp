// SPDX-License-Identifier: MIT
// An administrator, or a cpuset, changes where a running pool may be.
#include "allowed_cpus.hpp"

#include <threadcount/pool.hpp>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sched.h>
#include <string>
#include <thread>
#include <vector>

using threadcount::Pool;
using threadcount::pool::affinity_of;

namespace {

std::vector<pid_t> threads() {
        std::vector<pid_t> threads;
        for (const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
                threads.push_back(std::stoi(task.path().filename().string()));
        return threads;
}

/// `thread` 0: the calling one.
void bind(pid_t thread, const std::vector<int>& cpus) {
        cpu_set_t set;
        CPU_ZERO(&set);
        for (const int cpu : cpus)
                CPU_SET(static_cast<std::size_t>(cpu), &set);
        ::sched_setaffinity(thread, sizeof set, &set);
}

/// The same as taskset -a -p.
void allow(const std::vector<int>& cpus) {
        for (const auto thread : threads())
                bind(thread, cpus);
}

/// Of the threads whose names begin so.
std::vector<std::vector<int>> affinities_of(const char* name_begins) {
        std::vector<std::vector<int>> all;
        for (const auto thread : threads()) {
                std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/comm");
                std::string name;
                file >> name;
                if (name.starts_with(name_begins))
                        all.push_back(affinity_of(thread));
        }
        return all;
}
std::vector<std::vector<int>> affinities_of_lanes() { return affinities_of("lane-"); }

/// Short tasks until `condition` holds.
template <class Condition>
bool runs_until(Pool& pool, const Condition& condition) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!condition() && std::chrono::steady_clock::now() < end) {
                for (int i = 0; i < 50; i++)
                        pool.submit([] {});
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        return condition();
}

/// A lane has a thread when it is first needed.
void start_all_lanes(Pool& pool) {
        EXPECT_TRUE(runs_until(pool, [&] {
                for (const int cpu : pool.cpus())
                        EXPECT_TRUE(pool.submit_to(cpu, [] {}));
                return affinities_of_lanes().size() == pool.cpus().size();
        }));
}

}  // namespace

TEST(ChangedAffinity, IsFollowedBothWays) {
        const auto all = affinity_of(0);
        if (all.size() < 2)
                GTEST_SKIP() << "one CPU";
        Pool pool;
        start_all_lanes(pool);
        const std::vector<int> last{all.back()};
        allow(last);
        EXPECT_TRUE(runs_until(pool, [&] { return pool.mask() == last; }));
        std::atomic<int> elsewhere{0};
        for (int i = 0; i < 100; i++)
                pool.submit([&] { elsewhere += ::sched_getcpu() != last.front() ? 1 : 0; });
        pool.wait_idle();
        EXPECT_EQ(elsewhere, 0);

        allow(all);
        EXPECT_TRUE(runs_until(pool, [&] { return pool.width() == all.size(); }));
        EXPECT_TRUE(runs_until(pool, [] {
                for (const auto& affinity : affinities_of_lanes())
                        if (affinity.size() != 1)
                                return false;
                return true;
        })) << "lanes are bound again";
}

TEST(ChangedAffinity, MovesALaneWhoseCpuIsGone) {
        const auto all = affinity_of(0);
        if (all.size() < 2)
                GTEST_SKIP() << "one CPU";
        allow({all.front()});
        Pool pool;
        EXPECT_EQ(pool.cpus(), std::vector<int>{all.front()});
        allow({all.back()});
        EXPECT_TRUE(runs_until(pool, [&] { return pool.cpus() == std::vector<int>{all.back()}; }));
        std::atomic<int> ran_on{-1};
        ASSERT_TRUE(pool.submit_to(all.back(), [&] { ran_on = ::sched_getcpu(); }));
        pool.wait_idle();
        EXPECT_EQ(ran_on, all.back());
        allow(all);
}

TEST(ChangedAffinity, IsNotThatOfAFirstThreadThatBindsItself) {
        const auto all = affinity_of(0);
        if (all.size() < 2)
                GTEST_SKIP() << "one CPU";
        Pool pool;
        bind(0, {all.front()});
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
        EXPECT_FALSE(runs_until(pool,
                                [&] {
                                        return pool.width() < all.size() ||
                                               std::chrono::steady_clock::now() > end;
                                }) &&
                     pool.width() < all.size());
        allow(all);
}

TEST(ChangedAffinity, IsNotThatOfATaskThatBindsItselfBesideSuchAFirstThread) {
        const auto all = affinity_of(0);
        if (all.size() < 2)
                GTEST_SKIP() << "one CPU";
        Pool pool;
        bind(0, {all.front()});
        // It may start threads, or programs, which inherit where they run.
        for (const auto& elsewhere : {all, std::vector<int>{all.back()}}) {
                ASSERT_TRUE(pool.submit_to(all.front(), [&elsewhere] { bind(0, elsewhere); }));
                std::atomic<bool> is_bound_again{false};
                const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
                while (!is_bound_again && std::chrono::steady_clock::now() < end) {
                        ASSERT_TRUE(pool.submit_to(all.front(), [&] {
                                is_bound_again = affinity_of(0) == std::vector<int>{all.front()};
                        }));
                        pool.wait_idle();
                }
                EXPECT_TRUE(is_bound_again);
                EXPECT_EQ(pool.width(), all.size());
                EXPECT_EQ(pool.cpus().size(), all.size());
        }
        allow(all);
}

TEST(ChangedAffinity, IsFollowedByTheThreadOfTimersThatIsCreatedAfterwards) {
        const auto all = affinity_of(0);
        if (all.size() < 2)
                GTEST_SKIP() << "one CPU";
        Pool pool;
        start_all_lanes(pool);
        const std::vector<int> last{all.back()};
        allow(last);
        ASSERT_TRUE(runs_until(pool, [&] { return pool.mask() == last; }));
        std::atomic<bool> ran{false};
        (void)pool.submit_after(std::chrono::milliseconds(1), [&ran] {
                ran = true;
                ran.notify_one();
        });
        ran.wait(false);
        EXPECT_EQ(affinities_of("timers"), std::vector<std::vector<int>>{last});
        allow(all);
}
