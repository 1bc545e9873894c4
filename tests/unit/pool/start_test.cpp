// SPDX-License-Identifier: MIT
// A lane's thread is created when it is needed, once, whatever pthread_create() does.
#include <threadcount/pool.hpp>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <gtest/gtest.h>
#include <numeric>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using threadcount::Pool;

namespace {

std::atomic<int> created{0};
std::atomic<bool> next_is_slow{false};  // to return: its thread runs
std::atomic<bool> is_over{false};       // with slowness
std::atomic<bool> is_refused{false};

void be_on(int cpu) {
        cpu_set_t cpus;
        CPU_ZERO(&cpus);
        CPU_SET(static_cast<std::size_t>(cpu), &cpus);
        pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus);
}

}  // namespace

// The pool's; std::thread has its own.
extern "C" int __real_pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                     void* (*start)(void*), void* argument);
extern "C" int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                     void* (*start)(void*), void* argument);

int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                          void* (*start)(void*), void* argument) {
        if (is_refused)
                return EAGAIN;
        created++;
        const int error = __real_pthread_create(thread, attributes, start, argument);
        for (const bool is_slow = next_is_slow.exchange(false); is_slow && !is_over;)
                std::this_thread::sleep_for(1ms);
        return error;
}

namespace {

/// One of the two lanes in its mask has a thread, which is busy.
class LaneStart : public testing::Test {
protected:
        void SetUp() override {
                if (pool_.size() < 2)
                        GTEST_SKIP() << "one CPU";
                is_over = false;
                // It parks as soon as it lives.
                while (parkings() == 0)
                        std::this_thread::yield();
                const auto lanes = pool_.statistics();
                const bool is_first = lanes[0].parked > 0;
                const int busy = lanes[is_first ? 0 : 1].cpu;
                other_ = lanes[is_first ? 1 : 0].cpu;
                pool_.set_mask(std::vector<int>{busy});
                pool_.submit([this] {
                        is_busy_ = true;
                        while (is_busy_)
                                std::this_thread::sleep_for(1ms);
                });
                while (!is_busy_)
                        std::this_thread::yield();
                pool_.set_mask(std::vector<int>{busy, other_});
                created_ = created;
        }
        void TearDown() override {
                is_over = true;
                is_refused = false;
                is_busy_ = false;
        }

        void submit() {
                pool_.submit([this] { ran_++; });
        }
        void wait_for(int count) {
                for (const auto end = std::chrono::steady_clock::now() + 10s; ran_ < count;) {
                        ASSERT_LT(std::chrono::steady_clock::now(), end) << "a task is not run";
                        std::this_thread::yield();
                }
        }
        [[nodiscard]] std::uint64_t parkings() const {
                const auto lanes = pool_.statistics();
                return std::accumulate(
                        lanes.begin(), lanes.end(), std::uint64_t{0},
                        [](std::uint64_t sum, const auto& lane) { return sum + lane.parked; });
        }

        int created_ = 0;  // before
        int other_ = 0;    // the CPU whose lane has none
        std::atomic<int> ran_{0};
        std::atomic<bool> is_busy_{false};
        Pool pool_{{.spin = 0ns}};
};

}  // namespace

TEST_F(LaneStart, ALaneHasOneThreadThoughItSleepsBeforeItsCreatorKnowsOfIt) {
        next_is_slow = true;
        const auto parkings_before = parkings();
        std::thread submitter([this] {
                be_on(other_);  // where its creator would bind it, if that went on
                submit();
        });
        wait_for(1);
        while (parkings() == parkings_before)
                std::this_thread::yield();
        std::this_thread::sleep_for(10ms);  // until it is in the idle set
        submit();
        wait_for(2);
        is_over = true;
        submitter.join();
        EXPECT_EQ(created - created_, 1);
}

/// A pool that a task makes has a lane for each of these CPUs.
TEST_F(LaneStart, ATaskMayRunOnOneCpuThoughTheCreatorOfItsLaneHasNotGoneOn) {
        next_is_slow = true;
        std::atomic<int> cpus{0};
        std::thread submitter([&] {
                pool_.submit([&] {
                        cpu_set_t set;
                        cpus = ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : -1;
                });
        });
        for (const auto end = std::chrono::steady_clock::now() + 10s;
             cpus == 0 && std::chrono::steady_clock::now() < end;)
                std::this_thread::sleep_for(1ms);
        is_over = true;
        submitter.join();
        EXPECT_EQ(cpus, 1);
}

TEST_F(LaneStart, WhatIsForALaneThatGetsNoThreadIsRunByAnotherThatSleeps) {
        is_busy_ = false;
        pool_.wait_idle();
        is_refused = true;
        ASSERT_TRUE(pool_.submit_to(other_, [this] { ran_++; }));
        wait_for(1);
}

TEST_F(LaneStart, ALaneThatGotNoThreadGetsOneWhenThereAreSome) {
        is_refused = true;
        submit();
        is_busy_ = false;
        wait_for(1);
        EXPECT_EQ(pool_.width(), 1U);
        is_refused = false;
        std::atomic<bool> ran_there{false};
        for (const auto end = std::chrono::steady_clock::now() + 10s;
             !ran_there && std::chrono::steady_clock::now() < end;) {
                pool_.submit([&] {
                        ran_there = ran_there || sched_getcpu() == other_;
                        std::this_thread::sleep_for(1ms);
                });
        }
        pool_.wait_idle();
        EXPECT_TRUE(ran_there);
        EXPECT_EQ(pool_.width(), 2U);
}

TEST_F(LaneStart, WithoutThreadsTheLaneThatHasOneRunsAllEvenIfItIsNotInTheMask) {
        is_busy_ = false;
        pool_.wait_idle();
        is_refused = true;
        pool_.set_mask(std::vector<int>{other_});
        submit();
        wait_for(1);
        ASSERT_TRUE(pool_.submit_to(other_, [this] { ran_++; }));
        wait_for(2);
        pool_.wait_idle();
}
