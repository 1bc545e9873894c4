// SPDX-License-Identifier: MIT
// Lanes as threads: what they are called, what they leave to what tasks start, what ends the
// program, and what there is without memory for threads.
#include <threadcount/pool.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <gtest/gtest.h>
#include <memory>
#include <pthread.h>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace std::chrono_literals;
using threadcount::Pool;

namespace {

int cpus_of_this_thread() {
        cpu_set_t set;
        EXPECT_EQ(pthread_getaffinity_np(pthread_self(), sizeof set, &set), 0);
        return CPU_COUNT(&set);
}

/// The one that has created a lane may still be about to bind it to its CPU.
void wait_until_bound() {
        const auto end = std::chrono::steady_clock::now() + 10s;
        while (cpus_of_this_thread() != 1 && std::chrono::steady_clock::now() < end)
                std::this_thread::yield();
}

std::atomic<int> signals{0};

}  // namespace

TEST(LaneThreads, AreNamedAfterTheirCpuAndStayThere) {
        Pool pool;
        for (const int cpu : pool.cpus()) {
                std::string name;
                int cpus = 0;
                ASSERT_TRUE(pool.submit_to(cpu, [&] {
                        char text[16];
                        pthread_getname_np(pthread_self(), text, sizeof text);
                        name = text;
                        wait_until_bound();
                        cpus = cpus_of_this_thread();
                }));
                pool.wait_idle();
                EXPECT_EQ(name, "lane-" + std::to_string(cpu));
                EXPECT_EQ(cpus, 1);
        }
}

/// A lane is created when it is first needed, by a thread of any policy.
TEST(LaneThreads, HaveThePolicyOfTheThreadThatMadeThePool) {
        Pool pool;
        std::vector<int> policies;
        std::thread([&] {
                const sched_param none{};
                ASSERT_EQ(pthread_setschedparam(pthread_self(), SCHED_IDLE, &none), 0);
                for (const int cpu : pool.cpus()) {
                        ASSERT_TRUE(pool.submit_to(
                                cpu, [&] { policies.push_back(sched_getscheduler(0)); }));
                        pool.wait_idle();
                }
        }).join();
        EXPECT_EQ(policies, std::vector<int>(pool.cpus().size(), SCHED_OTHER));
}

TEST(LaneThreads, LeaveTheirCpuToThreadsThatATaskStarts) {
        Pool pool;
        int cpus = 0;
        pool.run([&] {
                wait_until_bound();
                std::thread([&] { cpus = cpus_of_this_thread(); }).join();
        });
        EXPECT_EQ(cpus, 1);
}

TEST(LaneThreads, BlockSignalsThatAreForTheProgram) {
        signals = 0;
        const auto before = std::signal(SIGUSR1, [](int) { signals++; });
        {
                Pool pool;
                pool.run([] {
                        sigset_t blocked;
                        pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
                        EXPECT_EQ(sigismember(&blocked, SIGUSR1), 1);
                        EXPECT_EQ(sigismember(&blocked, SIGTERM), 1);
                        EXPECT_EQ(sigismember(&blocked, SIGSEGV), 0);
                        EXPECT_EQ(raise(SIGUSR1), 0);
                });
                pool.wait_idle();
                EXPECT_EQ(signals, 0);
                EXPECT_EQ(raise(SIGUSR1), 0);
                EXPECT_EQ(signals, 1);
        }
        std::signal(SIGUSR1, before);
}

TEST(LaneThreads, DeliverNoSignalThatTheirCreatorBlocks) {
        sigset_t profiling;
        sigemptyset(&profiling);
        sigaddset(&profiling, SIGPROF);
        sigset_t before;
        ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &profiling, &before), 0);
        ASSERT_EQ(raise(SIGPROF), 0);           // for this thread
        ASSERT_EQ(kill(getpid(), SIGPROF), 0);  // and one that any thread could take
        {
                Pool pool;
                (void)pool.submit_after(1h, [] {});
                for (const int cpu : pool.cpus())
                        EXPECT_TRUE(pool.submit_to(cpu, [] {
                                sigset_t blocked;
                                pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
                                EXPECT_EQ(sigismember(&blocked, SIGPROF), 1);
                        }));
        }
        const timespec now{};
        int pending = 0;
        while (sigtimedwait(&profiling, nullptr, &now) == SIGPROF)
                pending++;
        EXPECT_EQ(pending, 2);
        EXPECT_EQ(pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
}

namespace {

/// No thread can be created while this lives: there is no memory for its stack.
class NoThreads {
public:
        NoThreads() {
                pthread_getattr_default_np(&before_);
                pthread_attr_t huge;
                pthread_attr_init(&huge);
                pthread_attr_setstacksize(&huge, std::size_t{1} << 50);
                pthread_setattr_default_np(&huge);
                pthread_attr_destroy(&huge);
        }
        ~NoThreads() {
                pthread_setattr_default_np(&before_);
                pthread_attr_destroy(&before_);
        }
        NoThreads(const NoThreads&) = delete;
        NoThreads& operator=(const NoThreads&) = delete;

private:
        pthread_attr_t before_{};
};

}  // namespace

TEST(LaneThreads, WithoutAnyThereIsNoPool) {
        {
                const NoThreads none;
                EXPECT_THROW(const Pool pool, std::system_error);
        }
        Pool pool;
        EXPECT_EQ(pool.async([] { return 1; }).get(), 1);
}

TEST(LaneThreads, WithoutOneMoreThereAreNoTimersUntilThereIs) {
        Pool pool;
        pool.async([] {}).get();
        std::atomic<int> ran{0};
        {
                const NoThreads none;
                EXPECT_THROW(pool.submit_after(1ms, [&] { ran = -1; }), std::system_error);
                EXPECT_THROW(pool.submit_every(1ms, [&] { ran = -1; }), std::system_error);
                EXPECT_EQ(pool.async([] { return 1; }).get(), 1);
        }
        pool.submit_after(1ms, [&] { ran = 1; });
        while (ran == 0)
                std::this_thread::sleep_for(100us);
        pool.wait_idle();
        EXPECT_EQ(ran, 1);
}

namespace {

class DeathOfTheProgram : public testing::Test {
protected:
        void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

/// A pool that its own last task lets go of.
void let_go_inside() {
        auto pool = std::make_shared<Pool>();
        auto& same = *pool;
        std::atomic<bool> is_last{false};
        same.submit([&is_last, pool = std::move(pool)] {
                while (!is_last)
                        std::this_thread::yield();
        });
        is_last = true;
        std::this_thread::sleep_for(10s);
}

void throw_in_a_task() {
        Pool pool;
        pool.submit([] { throw std::runtime_error("nobody catches it"); });
        pool.wait_idle();
}

}  // namespace

TEST_F(DeathOfTheProgram, ComesWithWhatATaskThrows) {
        EXPECT_DEATH(throw_in_a_task(), "nobody catches it");
}

TEST_F(DeathOfTheProgram, ComesIfATaskDestroysItsOwnPool) { EXPECT_DEATH(let_go_inside(), ""); }

namespace {

[[noreturn]] void exit_with_a_static_pool(bool is_used) {
        static Pool pool;
        if (is_used)
                pool.async([] {}).get();
        std::exit(7);
}

}  // namespace

TEST_F(DeathOfTheProgram, ComesInTimeWithAStaticPool) {
        EXPECT_EXIT(exit_with_a_static_pool(true), testing::ExitedWithCode(7), "");
        EXPECT_EXIT(exit_with_a_static_pool(false), testing::ExitedWithCode(7), "");
}

TEST_F(DeathOfTheProgram, ComesInTimeWithAStaticPoolOfTheParent) {
        GTEST_FLAG_SET(death_test_style, "fast");  // fork(), and no exec
        static Pool pool;
        EXPECT_EXIT(std::exit(7), testing::ExitedWithCode(7), "");
        // Without a future: the block that it leaves with a lane looks lost where no lane lives.
        pool.submit([] {});
        pool.wait_idle();
        EXPECT_EXIT(std::exit(7), testing::ExitedWithCode(7), "");
}
