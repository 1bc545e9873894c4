// SPDX-License-Identifier: MIT
// A task whose submitter has seen the pool open, and which comes when its lane has ended.
#include <threadcount/pool.hpp>
#include <threadcount/threadcount.h>

#include "pool/blocker.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sched.h>
#include <stdexcept>
#include <thread>

using namespace std::chrono_literals;
using threadcount::Pool;

namespace {

std::atomic<bool> is_on_its_way{false};  // the task
std::atomic<bool> may_arrive{false};
std::atomic<bool> has_arrived{false};
thread_local bool is_late = false;

}  // namespace

// A submitter asks for it after it has seen that the pool is open.
extern "C" std::uint64_t __real_threadcount_version(const threadcount_handle* handle);
extern "C" std::uint64_t __wrap_threadcount_version(const threadcount_handle* handle);

std::uint64_t __wrap_threadcount_version(const threadcount_handle* handle) {
        if (is_late) {
                is_on_its_way = true;
                while (!may_arrive)
                        std::this_thread::yield();
        }
        return __real_threadcount_version(handle);
}

namespace {

/// Ends with the thread of a lane, and lets the task come first.
struct EndOfLane {
        ~EndOfLane() {
                may_arrive = true;
                while (!has_arrived) {
                }
        }
        void touch() const {}
};

/// The calling thread takes this CPU from nobody when it wakes up: not from a lane that ends.
void give_way_on(int cpu) {
        cpu_set_t cpus;
        CPU_ZERO(&cpus);
        CPU_SET(static_cast<std::size_t>(cpu), &cpus);
        (void)sched_setaffinity(0, sizeof cpus, &cpus);
        const sched_param parameter{};
        (void)sched_setscheduler(0, SCHED_IDLE, &parameter);
}

class Late : public testing::Test {
protected:
        void SetUp() override {
                setenv("THREADCOUNT_SOCKET", "/nonexistent/governor", 1);
                ASSERT_EQ(threadcount_open_default(nullptr, &handle_), 0);
        }

        /// Stops a pool of one lane while `task` is on its way to this lane. False: it came too
        /// late.
        template <class F>
        bool stop_before(const F& task) {
                is_on_its_way = may_arrive = has_arrived = false;
                Pool all;
                Pool pool({.cpus = {all.cpus().front()}, .lane_capacity = 4, .spin = 0ns});
                pool.follow(handle_);
                std::atomic<bool> may_end{false};
                std::atomic<bool> was_accepted{false};
                pool.submit([&] {
                        thread_local const EndOfLane end;
                        end.touch();
                        while (!may_end)
                                std::this_thread::sleep_for(100us);
                });
                std::thread submitter([&] {
                        is_late = true;
                        try {
                                was_accepted =
                                        pool.submit_to(pool.cpus().front(), [&] { task(pool); });
                        } catch (const std::logic_error&) {
                                // Too late.
                        }
                        has_arrived = true;
                });
                while (!is_on_its_way)
                        std::this_thread::yield();
                std::thread helper([&] {
                        wait_until_closed(pool);
                        std::this_thread::sleep_for(2ms);  // stop() waits for idleness now
                        may_end = true;
                });
                std::thread stopper([&] {
                        give_way_on(pool.cpus().front());
                        pool.stop();
                });
                stopper.join();
                helper.join();
                submitter.join();
                return was_accepted;
        }

private:
        threadcount_handle* handle_ = nullptr;
};

// It is early enough only by chance, but nearly always.
constexpr int kTimes = 5;

}  // namespace

TEST_F(Late, MaySubmitMore) {
        int accepted = 0;
        for (int i = 0; i < kTimes; i++) {
                std::atomic<int> ran{0};
                const bool was_accepted = stop_before([&](Pool& pool) {
                        ran++;
                        // More than its queue holds.
                        for (int more = 0; more < 10; more++)
                                pool.submit([&ran, &pool] {
                                        ran++;
                                        pool.submit([&ran] { ran++; });
                                });
                });
                ASSERT_EQ(ran, was_accepted ? 21 : 0);
                accepted += was_accepted ? 1 : 0;
        }
        RecordProperty("accepted", accepted);
}

TEST_F(Late, MayUseAllOfThePool) {
        int accepted = 0;
        for (int i = 0; i < kTimes; i++) {
                std::atomic<int> ran{0};
                const bool was_accepted = stop_before([&](Pool& pool) {
                        pool.parallel_for(0, 100, [&](int) { ran++; });
                        pool.fork_join([&] { ran++; }, [&] { ran++; });
                        pool.run([&] { ran++; });
                        ran += pool.async([] { return 1; }).then([](int it) { return it; }).get();
                        (void)pool.submit_after(1h, [&ran] { ran = -1; });
                        if (pool.submit_to(pool.cpus().front(), [&ran] { ran++; }))
                                ran--;
                        EXPECT_THROW(pool.wait_idle(), std::logic_error);
                });
                ASSERT_EQ(ran, was_accepted ? 104 : 0);
                accepted += was_accepted ? 1 : 0;
        }
        RecordProperty("accepted", accepted);
}
