// SPDX-License-Identifier: MIT
// The promises of timers: never early, never twice at once, never after cancel() returned true.
#include <threadcount/pool.hpp>

#include "pool/blocker.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using threadcount::Pool;
using threadcount::Task;
using threadcount::Timer;
using Clock = std::chrono::steady_clock;

namespace {

/// Until then; the test's time limit is the only other one.
template <class Condition>
void wait_until(const Condition& condition) {
        while (!condition())
                std::this_thread::sleep_for(100us);
}

std::string first_line(const std::filesystem::path& path) {
        std::ifstream file(path);
        std::string line;
        std::getline(file, line);
        return line;
}

/// The number of this process' thread with this name; 0: there is none.
pid_t thread_named(const std::string& name) {
        for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
                if (first_line(entry.path() / "comm") == name)
                        return std::stoi(entry.path().filename());
        return 0;
}

}  // namespace

TEST(Timers, AreNeverEarly) {
        Pool pool;
        std::mt19937 random(3);
        std::atomic<int> ran{0};
        std::atomic<int> early{0};
        const auto start = Clock::now();
        for (int i = 0; i < 1000; i++) {
                const auto due = start + std::chrono::microseconds{random() % 300'000};
                pool.submit_at(due, [&, due] {
                        early += Clock::now() < due ? 1 : 0;
                        ran++;
                });
        }
        wait_until([&] { return ran == 1000; });
        EXPECT_EQ(early, 0);
}

TEST(Timers, RunAtOnceIfTheirTimeIsOver) {
        Pool pool;
        std::atomic<int> ran{0};
        pool.submit_after(0ns, [&] { ran++; });
        pool.submit_after(std::chrono::nanoseconds::min(), [&] { ran++; });
        pool.submit_at(Clock::now() - 1h, [&] { ran++; });
        pool.submit_at(Clock::time_point::min(), [&] { ran++; });
        pool.wait_idle();
        EXPECT_EQ(ran, 4);
}

TEST(Timers, MayBeFarAway) {
        Pool pool;
        const auto held = std::make_shared<int>(0);
        const auto after = pool.submit_after(std::chrono::nanoseconds::max(), [held] {});
        const auto at = pool.submit_at(Clock::time_point::max(), [held] {});
        const auto every = pool.submit_every(std::chrono::nanoseconds::max(), [held] {});
        std::atomic<bool> has_run{false};
        pool.submit_after(1ms, [&] { has_run = true; });
        wait_until([&] { return has_run.load(); });
        EXPECT_TRUE(after.cancel());
        EXPECT_TRUE(at.cancel());
        EXPECT_TRUE(every.cancel());
        EXPECT_EQ(held.use_count(), 1);
}

TEST(Timers, RunThoughTheirHandleIsGone) {
        Pool pool;
        std::atomic<bool> has_run{false};
        {
                const auto dropped = pool.submit_after(1ms, [&] { has_run = true; });
        }
        wait_until([&] { return has_run.load(); });
}

TEST(Timers, AreDestroyedWhenTheyHaveRunThoughTheirHandleIsThere) {
        Pool pool;
        const auto held = std::make_shared<int>(0);
        const auto timer = pool.submit_after(1ms, [held] {});
        wait_until([&] { return held.use_count() == 1; });
        EXPECT_FALSE(timer.cancel());
}

TEST(Timers, DoNotRunIfTheyAreCancelled) {
        Pool pool;
        const auto held = std::make_shared<int>(0);
        std::atomic<int> ran{0};
        {
                const Blocker blocker(pool);
                const auto timer = pool.submit_after(5ms, [&, held] { ran++; });
                EXPECT_EQ(held.use_count(), 2);
                EXPECT_TRUE(timer.cancel());
                EXPECT_EQ(held.use_count(), 1);
                EXPECT_FALSE(timer.cancel());
                EXPECT_FALSE(Timer().cancel());
                std::this_thread::sleep_for(10ms);
        }
        pool.wait_idle();
        EXPECT_EQ(ran, 0);
}

TEST(Timers, MayBeCancelledWhileTheyWaitForALane) {
        Pool pool({.capacity = 2});
        std::atomic<int> ran{0};
        std::vector<Timer> timers;
        {
                const Blocker blocker(pool);
                for (int i = 0; i < 10; i++)
                        timers.push_back(pool.submit_after(1ms, [&] { ran++; }));
                std::this_thread::sleep_for(10ms);
                for (const auto& timer : timers)
                        EXPECT_TRUE(timer.cancel());
        }
        pool.submit_after(1ms, [&] { ran += 100; });
        wait_until([&] { return ran != 0; });
        EXPECT_EQ(ran, 100);
}

TEST(Timers, ThatHaveBegunAreNotCancelled) {
        Pool pool;
        std::atomic<bool> runs{false};
        std::atomic<bool> may_end{false};
        const auto timer = pool.submit_after(1ms, [&] {
                runs = true;
                wait_until([&] { return may_end.load(); });
        });
        wait_until([&] { return runs.load(); });
        EXPECT_FALSE(timer.cancel());
        may_end = true;
        pool.wait_idle();
}

TEST(Timers, AMillionCancelledOnesLeaveNothing) {
        Pool pool;
        const auto held = std::make_shared<int>(0);
        const auto other = pool.submit_after(2h, [held] {});
        for (int i = 0; i < 1'000'000; i++) {
                const auto timer =
                        pool.submit_after(1h + std::chrono::nanoseconds{i % 1000}, [held] {});
                ASSERT_TRUE(timer.cancel());
                ASSERT_EQ(held.use_count(), 2);
        }
}

TEST(Timers, WaitForAFullQueueAndHinderNobodyMeanwhile) {
        Pool pool({.capacity = 2});
        std::atomic<int> ran{0};
        {
                const Blocker blocker(pool);
                while (pool.try_submit([] {})) {
                }
                for (int i = 0; i < 500; i++)
                        pool.submit_after(1ms, [&] { ran++; });
                std::this_thread::sleep_for(10ms);
                const auto timer = pool.submit_after(1us, [&] { ran += 1000; });
                EXPECT_TRUE(timer.cancel());
                EXPECT_EQ(ran, 0);
        }
        wait_until([&] { return ran == 500; });
}

TEST(Timers, MayBeMadeByTasks) {
        Pool pool;
        std::atomic<int> ran{0};
        for (int i = 0; i < 100; i++)
                pool.submit([&] { pool.submit_after(1ms, [&] { ran++; }); });
        wait_until([&] { return ran == 100; });
}

TEST(Timers, HaveAThreadThatIsNotPinnedAndTakesNoSignalsOfOthers) {
        Pool pool;
        EXPECT_EQ(thread_named("timers"), 0);
        pool.submit([&] { pool.submit_after(1h, [] {}); });
        wait_until([] { return thread_named("timers") != 0; });
        const auto thread = thread_named("timers");
        const auto slack = "/proc/" + std::to_string(thread) + "/timerslack_ns";
        wait_until([&] { return first_line(slack) == "1"; });
        cpu_set_t set;
        CPU_ZERO(&set);
        wait_until([&] {
                return sched_getaffinity(thread, sizeof set, &set) == 0 &&
                       CPU_COUNT(&set) == static_cast<int>(pool.size());
        });
        std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
        std::uint64_t blocked = 0;
        for (std::string line; std::getline(status, line);)
                if (line.starts_with("SigBlk:"))
                        blocked = std::stoull(line.substr(line.find('\t')), nullptr, 16);
        const auto is_blocked = [&](int signal) { return (blocked >> (signal - 1) & 1) != 0; };
        for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGALRM, SIGPIPE, SIGUSR1, SIGCHLD})
                EXPECT_TRUE(is_blocked(signal)) << signal;
        // Signals that a thread brings about itself are its own.
        for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF})
                EXPECT_FALSE(is_blocked(signal)) << signal;
}

TEST(PeriodicTimers, KeepTheirRateAndAreNeverEarly) {
        Pool pool;
        std::vector<Clock::time_point> times;
        times.reserve(1000);
        std::atomic<int> ran{0};
        const auto start = Clock::now();
        const auto timer = pool.submit_every(2ms, [&] {
                if (times.size() < 1000)
                        times.push_back(Clock::now());
                ran++;
        });
        wait_until([&] { return ran >= 10; });
        EXPECT_TRUE(timer.cancel());
        pool.wait_idle();
        for (std::size_t i = 0; i < times.size(); i++)
                EXPECT_GE(times[i], start + static_cast<int>(i + 1) * 2ms);
}

TEST(PeriodicTimers, LeaveOutWhatTheyHaveMissed) {
        Pool pool;
        const auto start = Clock::now();
        std::map<std::int64_t, int> in_period;
        std::atomic<int> ran{0};
        std::optional<Blocker> blocker(pool);
        const auto timer = pool.submit_every(2ms, [&] {
                in_period[(Clock::now() - start) / 2ms]++;
                ran++;
        });
        std::this_thread::sleep_for(60ms);
        blocker.reset();
        wait_until([&] { return ran >= 5; });
        EXPECT_TRUE(timer.cancel());
        pool.wait_idle();
        // One that was late and the next one in time may be in one; thirty were missed.
        for (const auto& [period, count] : in_period)
                EXPECT_LT(count, 10) << period;
}

TEST(PeriodicTimers, NeverRunTwiceAtOnce) {
        Pool pool;
        std::atomic<int> running{0};
        std::atomic<int> most{0};
        std::atomic<int> ran{0};
        const auto timer = pool.submit_every(500us, [&] {
                most = std::max(most.load(), ++running);
                std::this_thread::sleep_for(2ms);
                running--;
                ran++;
        });
        wait_until([&] { return ran >= 10; });
        EXPECT_TRUE(timer.cancel());
        EXPECT_EQ(most, 1);
        pool.wait_idle();
}

TEST(PeriodicTimers, ThatAreStillRunningAreNotLookedAtAllTheTime) {
        Pool pool;
        std::atomic<int> ran{0};
        const auto timer = pool.submit_every(1us, [&] {
                std::this_thread::sleep_for(2ms);
                ran++;
        });
        wait_until([&] { return ran >= 5 && thread_named("timers") != 0; });
        const auto path = "/proc/self/task/" + std::to_string(thread_named("timers")) + "/status";
        const auto sleeps = [&] {
                std::ifstream status(path);
                for (std::string line; std::getline(status, line);)
                        if (line.starts_with("voluntary_ctxt_switches:"))
                                return std::stoi(line.substr(line.find('\t')));
                return 0;
        };
        const int before = sleeps();
        const int ran_before = ran;
        wait_until([&] { return ran >= ran_before + 50; });
        EXPECT_LT(sleeps() - before, 500);
        EXPECT_TRUE(timer.cancel());
        pool.wait_idle();
}

TEST(PeriodicTimers, EndWhenTheyAreCancelledEvenByThemselves) {
        Pool pool;
        const auto held = std::make_shared<int>(0);
        std::atomic<int> ran{0};
        std::atomic<bool> is_cancelled{false};
        Timer timer;
        std::atomic<bool> is_set{false};
        timer = pool.submit_every(1ms, [&, held] {
                if (++ran == 3) {
                        wait_until([&] { return is_set.load(); });
                        is_cancelled = timer.cancel();
                        EXPECT_GT(held.use_count(), 1);
                }
        });
        is_set = true;
        wait_until([&] { return held.use_count() == 1; });
        EXPECT_TRUE(is_cancelled);
        EXPECT_FALSE(timer.cancel());
        std::this_thread::sleep_for(5ms);
        EXPECT_EQ(ran, 3);
}

TEST(PeriodicTimers, NeedAPeriod) {
        Pool pool;
        EXPECT_THROW(pool.submit_every(0ns, [] {}), std::invalid_argument);
        EXPECT_THROW(pool.submit_every(-1s, [] {}), std::invalid_argument);
}

TEST(TimersEnd, WhatIsNotDueNeverRuns) {
        const auto held = std::make_shared<int>(0);
        std::atomic<int> ran{0};
        Timer timer;
        Timer periodic;
        {
                Pool pool;
                timer = pool.submit_after(1h, [&, held] { ran++; });
                periodic = pool.submit_every(1h, [&, held] { ran++; });
                pool.submit([&] {
                        std::this_thread::sleep_for(5ms);
                        pool.submit_after(1h, [&, held] { ran++; });
                });
        }
        EXPECT_EQ(held.use_count(), 1);
        EXPECT_FALSE(timer.cancel());
        EXPECT_FALSE(periodic.cancel());
        EXPECT_EQ(ran, 0);
}

TEST(TimersEnd, NoneIsMadeAfterwards) {
        const auto held = std::make_shared<int>(0);
        Pool pool;
        pool.stop();
        EXPECT_THROW(pool.submit_after(1h, [held] {}), std::logic_error);
        EXPECT_THROW(pool.submit_at(Clock::now(), [held] {}), std::logic_error);
        EXPECT_THROW(pool.submit_every(1h, [held] {}), std::logic_error);
        EXPECT_EQ(held.use_count(), 1);
}

namespace {

/// Uses the pool's timers once more when it goes.
struct Session {
        ~Session() {
                (void)pool.submit_after(1h, [] {});
                (void)other.cancel();
        }
        Pool& pool;
        Timer other;
};

}  // namespace

TEST(TimersEnd, WhatATimerHeldMayUseTimersWhenItIsDestroyed) {
        Pool pool;
        std::atomic<bool> runs{false};
        std::atomic<bool> has_ended{false};
        std::atomic<bool> is_gone{false};
        pool.submit([&] {
                std::unique_ptr<Session> session(new Session{pool, pool.submit_after(1h, [] {})});
                runs = true;
                wait_until([&] { return has_ended.load(); });
                (void)pool.submit_after(1s, [session = std::move(session)] {});
                is_gone = true;
        });
        wait_until([&] { return runs.load(); });
        std::thread stopper([&] { pool.stop(); });
        wait_until_closed(pool);
        has_ended = true;
        stopper.join();
        EXPECT_TRUE(is_gone);
}

TEST(TimersEnd, ComesThoughTheQueueIsFull) {
        const auto held = std::make_shared<int>(0);
        {
                Pool pool({.capacity = 1});
                std::thread stopper;
                {
                        const Blocker blocker(pool);
                        for (int i = 0; i < 10; i++)
                                pool.submit_after(1ms, [held] {});
                        pool.submit_every(1ms, [held] {});
                        std::this_thread::sleep_for(10ms);
                        stopper = std::thread([&] { pool.stop(); });
                        // All but one that is in the queue, though no lane does anything.
                        wait_until([&] { return held.use_count() <= 2; });
                }
                stopper.join();
        }
        EXPECT_EQ(held.use_count(), 1);
}

TEST(TimersEnd, WhatWaitsForALaneIsHandedBackAndMayOutliveThePool) {
        const auto held = std::make_shared<int>(0);
        std::atomic<int> ran{0};
        std::vector<Task> rest;
        Timer once;
        Timer periodic;
        {
                Pool pool;
                std::thread stopper;
                {
                        const Blocker blocker(pool);
                        once = pool.submit_after(1ms, [&, held] { ran++; });
                        periodic = pool.submit_every(1ms, [&, held] { ran++; });
                        std::this_thread::sleep_for(20ms);
                        stopper = std::thread([&] { rest = pool.stop_and_hand_back(); });
                        wait_until_closed(pool);
                }
                stopper.join();
        }
        for (auto& task : rest)
                task();
        EXPECT_LE(ran, 1);
        EXPECT_FALSE(periodic.cancel());
        rest.clear();
        (void)once.cancel();
        EXPECT_EQ(held.use_count(), 1);
}

TEST(TimersRace, EitherItRunsOrItIsCancelled) {
        Pool pool;
        constexpr int kBatch = 1000;
        constexpr int kBatches = 100;
        std::atomic<int> ran{0};
        int cancelled = 0;
        std::mt19937 random(5);
        for (int batch = 0; batch < kBatches; batch++) {
                std::vector<Timer> timers;
                for (int i = 0; i < kBatch; i++)
                        timers.push_back(pool.submit_after(
                                std::chrono::nanoseconds{random() % 200'000}, [&] { ran++; }));
                for (const auto& timer : timers)
                        cancelled += timer.cancel() ? 1 : 0;
        }
        wait_until([&] { return ran + cancelled >= kBatch * kBatches; });
        std::this_thread::sleep_for(5ms);
        EXPECT_EQ(ran + cancelled, kBatch * kBatches);
        RecordProperty("ran", ran);
}
