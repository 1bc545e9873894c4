// SPDX-License-Identifier: MIT
// Lanes whose CPU something else has.
#include <threadcount/pool.hpp>

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
        std::atomic<int> ran{0};
        const auto end = std::chrono::steady_clock::now() + 10s;
        // Some 30 a second if each waited for that lane.
        for (int i = 0; i < 1000 && std::chrono::steady_clock::now() < end; i++) {
                pool.submit([&] { ran++; });
                std::this_thread::sleep_for(1ms);
        }
        while (ran < 1000 && std::chrono::steady_clock::now() < end)
                std::this_thread::sleep_for(1ms);
        EXPECT_EQ(ran, 1000);
}
