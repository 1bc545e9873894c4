// SPDX-License-Identifier: MIT
// The pools that ours is compared with: a comparison with one that loses tasks would say nothing.
#include <list_pool.hpp>
#include <pools/arguments.hpp>
#include <pools/condition_pool.hpp>
#include <pools/cpus.hpp>
#include <pools/rated_pool.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <mutex>
#include <sched.h>
#include <set>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace std::chrono_literals;
using examples::Arguments;
using examples::ConditionPool;
using examples::RatedPlace;
using examples::RatedPool;
using pool::ListPool;
using pool::Stages;

namespace {

constexpr int kTasks = 5000;

template <class Pool>
int run_by(Pool& pool, std::atomic<int>& done) {
        for (int i = 0; i < kTasks; i++)
                pool.submit([&done] { done++; });
        while (done < kTasks)
                std::this_thread::yield();
        return done;
}

bool do_others_sleep() {
        const auto own = std::to_string(gettid());
        for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
                std::ifstream file(entry.path() / "stat");
                const std::string stat(std::istreambuf_iterator<char>(file), {});
                const auto name_end = stat.rfind(") ");
                if (entry.path().filename() != own && name_end != std::string::npos &&
                    stat[name_end + 2] != 'S')
                        return false;
        }
        return true;
}

/// Some looks in a row: one alone takes its time. A thread that is seen asleep may only have waited
/// for the lock of the thread that is looked at next.
void wait_until_others_sleep() {
        for (int seen = 0; seen < 5; std::this_thread::sleep_for(1ms))
                seen = do_others_sleep() ? seen + 1 : 0;
}

std::string parsed(const Arguments& table, std::vector<std::string> words) {
        std::vector<char*> pointers;
        for (auto& word : words)
                pointers.push_back(word.data());
        return table.parse(pointers);
}

}  // namespace

TEST(ConditionPool, RunsEachTaskOnceWhileItLivesAndBeforeItEnds) {
        std::atomic<int> done{0};
        {
                ConditionPool pool(3, examples::cpus_cores_first());
                EXPECT_EQ(run_by(pool, done), kTasks);
                for (int i = 0; i < 100; i++)
                        pool.submit([&done] { done++; });
        }
        EXPECT_EQ(done, kTasks + 100);
}

TEST(RatedPool, RunsEachTaskOnceWhileItLivesAndBeforeItEnds) {
        const std::array places{RatedPlace{-1, 0}, RatedPlace{-1, 1}, RatedPlace{-1, 1}};
        std::atomic<int> done{0};
        {
                RatedPool pool(places);
                EXPECT_EQ(run_by(pool, done), kTasks);
                for (int i = 0; i < 100; i++)
                        pool.submit([&done] { done++; });
        }
        EXPECT_EQ(done, kTasks + 100);
}

TEST(RatedPool, TwoWakesInARowMeanTwoThreadsTheBetterRateFirst) {
        const std::array places{RatedPlace{-1, 1}, RatedPlace{-1, 0}};
        RatedPool pool(places);
        for (int round = 0; round < 200; round++) {
                std::atomic<int> inside{0};
                std::atomic<bool> is_over{false};
                const auto task = [&] {
                        inside++;
                        while (!is_over)
                                std::this_thread::yield();
                        inside--;
                };
                // The first one holds its thread: unless the second wake reaches the other
                // thread, this never ends.
                pool.submit(task);
                pool.submit(task);
                while (inside < 2)
                        std::this_thread::yield();
                is_over = true;
                while (inside > 0)
                        std::this_thread::yield();
        }
}

TEST(RatedPool, OneTaskAtATimeIsAlwaysForTheThreadWithTheBestRate) {
        const std::array places{RatedPlace{-1, 1}, RatedPlace{-1, 0}, RatedPlace{-1, 1}};
        RatedPool pool(places);
        std::set<std::thread::id> threads;
        std::mutex mutex;
        for (int i = 0; i < 20; i++) {
                std::atomic<bool> is_done{false};
                wait_until_others_sleep();
                pool.submit([&] {
                        const std::lock_guard lock(mutex);
                        threads.insert(std::this_thread::get_id());
                        is_done = true;
                });
                while (!is_done)
                        std::this_thread::yield();
        }
        const std::lock_guard lock(mutex);
        EXPECT_EQ(threads.size(), 1U);
}

TEST(ListPool, RunsEachTaskOnceWithAnyStagesAndAnyWorkersPerList) {
        for (const auto stages :
             {Stages::Pause, Stages::PauseYield, Stages::PauseYieldSleep, Stages::Learned})
                for (const std::size_t each : {1U, 2U, 3U}) {
                        std::atomic<int> done{0};
                        {
                                ListPool pool({.workers = 3,
                                               .workers_per_list = each,
                                               .capacity = 50,
                                               .stages = stages,
                                               .yield_us = 20});
                                EXPECT_EQ(run_by(pool, done), kTasks);
                                for (int i = 0; i < 100; i++)
                                        pool.submit([&done] { done++; });
                        }
                        EXPECT_EQ(done, kTasks + 100) << each << " workers per list";
                }
}

TEST(ListPool, RunsEachTaskOnceWhileItSlowsTheSubmitterDown) {
        std::atomic<int> done{0};
        {
                ListPool pool({.workers = 3, .slow = 900, .stages = Stages::Learned});
                EXPECT_EQ(run_by(pool, done), kTasks);
        }
        EXPECT_EQ(done, kTasks);
}

TEST(ListPool, OneWorkerRunsItsListInTheOrderOfSubmission) {
        std::vector<int> order;
        {
                ListPool pool({.workers = 1});
                for (int i = 0; i < 500; i++)
                        pool.submit([&order, i] { order.push_back(i); });
        }
        EXPECT_EQ(order.size(), 500U);
        EXPECT_TRUE(std::ranges::is_sorted(order));
}

TEST(ListPool, ATaskThatComesWhileItsWorkerFallsAsleepIsNotForgotten) {
        ListPool pool({.workers = 1, .pauses = 1, .yield_us = 0});
        std::atomic<int> done{0};
        for (int i = 0; i < 20000; i++) {
                pool.submit([&done] { done++; });
                while (done <= i)
                        std::this_thread::yield();
        }
        EXPECT_EQ(done, 20000);
}

TEST(CpusCoresFirst, AreThoseOfThisThreadEachOnce) {
        const auto cpus = examples::cpus_cores_first();
        EXPECT_FALSE(cpus.empty());
        EXPECT_EQ(std::set<int>(cpus.begin(), cpus.end()).size(), cpus.size());
        std::thread([last = cpus.back()] {
                examples::stay_on(last);
                EXPECT_EQ(examples::cpus_cores_first(), std::vector<int>{last});
                EXPECT_EQ(sched_getcpu(), last);
        }).join();
}

TEST(ExampleArguments, ValuesStandBehindOrInsideOfTheirOption) {
        std::uint64_t size = 0;
        std::string word;
        bool flag = false;
        Arguments table;
        table.number("-s", size, 0, UINT64_MAX);
        table.word("--word", word, {"one", "two"});
        table.flag("--flag", flag);
        EXPECT_EQ(parsed(table, {"-s", "5", "--word=two", "--flag"}), "");
        EXPECT_EQ(size, 5U);
        EXPECT_EQ(word, "two");
        EXPECT_TRUE(flag);
        EXPECT_EQ(parsed(table, {"-s7K"}), "");
        EXPECT_EQ(size, 7U << 10);
        EXPECT_EQ(parsed(table, {"-s=2G", "--word", "one"}), "");
        EXPECT_EQ(size, 2ULL << 30);
        EXPECT_EQ(word, "one");
}

TEST(ExampleArguments, RefusalsNameTheOptionTheValueAndWhatIsAccepted) {
        std::uint64_t size = 3;
        std::string word;
        bool flag = false;
        Arguments table;
        table.number("-s", size, 1, 10);
        table.word("--word", word, {"one", "two"});
        table.flag("--flag", flag);
        EXPECT_EQ(parsed(table, {"-s", "11"}), "-s '11': accepted is a whole number from 1 to 10");
        EXPECT_EQ(parsed(table, {"-s", "18446744073709551616"}),
                  "-s '18446744073709551616': accepted is a whole number from 1 to 10");
        EXPECT_EQ(parsed(table, {"-s", "1k"}), "-s '1k': accepted is a whole number from 1 to 10");
        EXPECT_EQ(size, 3U);
        EXPECT_EQ(parsed(table, {"--word", "three"}),
                  "--word 'three': accepted is one of one, two");
        EXPECT_EQ(parsed(table, {"--word"}), "--word: no value given; accepted is one of one, two");
        EXPECT_EQ(parsed(table, {"--flag=1"}),
                  "'--flag=1': unknown option; accepted are -s, --word, --flag");
        EXPECT_FALSE(flag);
}
