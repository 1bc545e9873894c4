// SPDX-License-Identifier: MIT
// Lanes whose CPU something else has.
#include <threadcount/pool.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <thread>

using namespace std::chrono_literals;
using threadcount::Pool;

namespace {

/// Has a CPU for itself, but for what the kernel leaves to others, some ms of each second.
class Hog {
public:
        explicit Hog(int cpu) : thread_([this, cpu] { run(cpu); }) {
                while (state_ == State::Begins)
                        std::this_thread::yield();
        }
        ~Hog() {
                is_over_ = true;
                thread_.join();
        }
        Hog(const Hog&) = delete;
        Hog& operator=(const Hog&) = delete;

        [[nodiscard]] bool is_allowed() const { return state_ == State::Runs; }

private:
        enum class State { Begins, Runs, Refused };

        void run(int cpu) {
                cpu_set_t cpus;
                CPU_ZERO(&cpus);
                CPU_SET(static_cast<std::size_t>(cpu), &cpus);
                pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus);
                sched_param priority{};
                priority.sched_priority = 1;
                const bool may = pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority) == 0;
                state_ = may ? State::Runs : State::Refused;
                while (may && !is_over_) {
                }
        }

        std::atomic<State> state_{State::Begins};
        std::atomic<bool> is_over_{false};
        std::thread thread_;
};

/// The kernel lets a lane without CPU run once in a second: nearly all would wait for that.
void run_a_thousand(Pool& pool) {
        std::atomic<int> ran{0};
        int waited = 0;
        for (int i = 0; i < 1000; i++) {
                pool.submit([&] { ran++; });
                std::this_thread::sleep_for(1ms);
                waited = std::max(waited, i - ran);
        }
        pool.wait_idle();
        EXPECT_EQ(ran, 1000);
        EXPECT_LT(waited, 500);
}

}  // namespace

TEST(BusyCpu, ALaneThatDoesNotGetItHoldsNoTaskBack) {
        Pool pool;
        if (pool.size() < 2)
                GTEST_SKIP() << "one CPU";
        for (int i = 0; i < 10; i++)
                pool.async([] {}).get();
        const int hogged = pool.cpus()[1];
        const Hog hog(hogged);
        if (!hog.is_allowed())
                GTEST_SKIP() << "no real-time priority";
        run_a_thousand(pool);
}

TEST(BusyCpu, ALaneThatLosesItWhileItLooksForWorkHoldsNoTaskBack) {
        Pool pool({.spin = 1s});
        if (pool.size() < 2)
                GTEST_SKIP() << "one CPU";
        int last = -1;
        for (int i = 0; i < 10; i++)
                last = pool.async([] { return sched_getcpu(); }).get();
        const Hog hog(last);
        if (!hog.is_allowed())
                GTEST_SKIP() << "no real-time priority";
        run_a_thousand(pool);
}
