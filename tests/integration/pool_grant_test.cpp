// SPDX-License-Identifier: MIT
// A program with a pool beside another program that comes and goes, under a real governor.
#include "lease_fixture.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <threadcount/pool.hpp>
#include <threadcount/threadcount.h>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace test_support;
using Cpus = std::set<unsigned>;

/// The CPUs of the threads that run tasks, or want to, by /proc.
Cpus cpus_of_running_lanes() {
        Cpus cpus;
        for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
                std::ifstream file(task.path() / "stat");
                const std::string text{std::istreambuf_iterator<char>(file), {}};
                if (text.find("(lane-") == std::string::npos)
                        continue;
                std::istringstream fields(text.substr(text.rfind(')') + 2));
                std::array<std::string, 37> field;  // of proc(5) those from the 3rd to the 39th
                for (auto& one : field)
                        fields >> one;
                if (field[0] == "R")
                        cpus.insert(static_cast<unsigned>(std::stoul(field[36])));
        }
        return cpus;
}

/// A governor's handle. It must outlive the pools that follow it.
class Handle {
public:
        explicit Handle(const Daemon& daemon) {
                threadcount_options options = THREADCOUNT_OPTIONS_INIT;
                options.socket_path = daemon.socket().c_str();
                EXPECT_EQ(threadcount_open(&options, &handle_), 0);
        }
        ~Handle() { threadcount_close(handle_); }
        Handle(const Handle&) = delete;
        Handle& operator=(const Handle&) = delete;

        [[nodiscard]] threadcount_handle* get() const { return handle_; }

private:
        threadcount_handle* handle_ = nullptr;
};

/// A program with a pool that always has work; tasks of 1 ms.
class Worker {
public:
        explicit Worker(const Daemon& daemon) : handle_(daemon) {
                pool_.follow(handle_.get());
                submitter_ = std::thread([this] {
                        while (!is_over_)
                                if (!pool_.try_submit([this] { task(); }))
                                        std::this_thread::sleep_for(100us);
                });
        }
        ~Worker() {
                is_over_ = true;
                submitter_.join();
                pool_.stop();
        }
        Worker(const Worker&) = delete;
        Worker& operator=(const Worker&) = delete;

        [[nodiscard]] const threadcount::Pool& pool() const { return pool_; }
        [[nodiscard]] Cpus mask() const {
                Cpus cpus;
                for (const int cpu : pool_.mask())
                        cpus.insert(static_cast<unsigned>(cpu));
                return cpus;
        }
        /// Tasks that have begun on a CPU.
        [[nodiscard]] std::uint64_t begun_on(unsigned cpu) const { return begun_.at(cpu); }

private:
        void task() {
                begun_.at(static_cast<std::size_t>(::sched_getcpu()))++;
                const auto until = std::chrono::steady_clock::now() + 1ms;
                while (std::chrono::steady_clock::now() < until) {
                }
        }

        std::array<std::atomic<std::uint64_t>, CPU_SETSIZE> begun_{};
        std::atomic<bool> is_over_{false};
        const Handle handle_;
        threadcount::Pool pool_{{.capacity = 64}};
        std::thread submitter_;
};

volatile std::sig_atomic_t shall_begin = 0;

class PoolUnderAGovernor : public LeaseTest {
protected:
        PoolUnderAGovernor() {
                daemon_.kill();
                daemon_.configure(kFair + "period = 50ms\n");
                daemon_.start();
        }
        void SetUp() override {
                if (everything() < 2)
                        GTEST_SKIP() << "two programs have one CPU";
        }

        /// It says hello at SIGUSR1, and uses what it has.
        [[nodiscard]] std::unique_ptr<ForkedProgram> later_arrival() const {
                ::signal(SIGUSR1, [](int) { shall_begin = 1; });
                return std::make_unique<ForkedProgram>([socket = daemon_.socket()] {
                        while (shall_begin == 0)
                                ::usleep(1000);
                        hold_a_lease(socket, [] {
                                static std::atomic<unsigned> work{0};
                                work++;
                        });
                });
        }
        [[nodiscard]] Cpus granted() const {
                const auto client = lease(own_pid());
                return client ? cpus_of(client->cpus()) : Cpus{};
        }
};

}  // namespace

TEST_F(PoolUnderAGovernor, GivesWayToANewcomerWithinOneTaskAndTakesItsCpusBack) {
        auto other = later_arrival();
        const Worker worker(daemon_);
        ASSERT_TRUE(eventually([&] { return granted().size() == everything(); }));
        ASSERT_TRUE(eventually([&] { return worker.pool().width() == everything(); }));

        ::kill(static_cast<pid_t>(other->pid()), SIGUSR1);
        ASSERT_TRUE(eventually(
                [&] { return granted().size() < everything() && worker.mask() == granted(); }));
        const auto mine = granted();
        std::map<unsigned, std::uint64_t> begun;
        for (const int cpu : worker.pool().cpus())
                begun[static_cast<unsigned>(cpu)] = worker.begun_on(static_cast<unsigned>(cpu));
        std::this_thread::sleep_for(20ms);
        for (int look = 0; look < 50 && granted() == mine; look++) {
                for (const auto cpu : cpus_of_running_lanes())
                        EXPECT_TRUE(mine.contains(cpu)) << "a lane runs on CPU " << cpu;
                std::this_thread::sleep_for(2ms);
        }
        ASSERT_EQ(granted(), mine) << "the grant has changed meanwhile";
        for (const auto& [cpu, before] : begun)
                if (mine.contains(cpu))
                        EXPECT_GT(worker.begun_on(cpu), before);
                else
                        EXPECT_LE(worker.begun_on(cpu), before + 1) << "CPU " << cpu;

        other->kill();
        EXPECT_TRUE(eventually([&] { return worker.pool().width() == everything(); }));
}

TEST_F(PoolUnderAGovernor, IsKnownToWorkOnlyWhileItHasTasks) {
        const Handle handle(daemon_);
        const auto in_use = [&] {
                const auto client = lease(own_pid());
                return client ? client->in_use() : 0;
        };
        threadcount::Pool pool;
        pool.follow(handle.get());
        for (int round = 0; round < 3; round++) {
                std::atomic<bool> is_over{false};
                pool.submit([&] {
                        while (!is_over)
                                std::this_thread::sleep_for(1ms);
                });
                EXPECT_TRUE(eventually([&] { return in_use() > 0; }));
                is_over = true;
                pool.wait_idle();
                EXPECT_TRUE(eventually([&] { return in_use() == 0; }));
        }
}

TEST_F(PoolUnderAGovernor, WakesWithTheWidthThatItIsGrantedOnWaking) {
        auto other = later_arrival();
        const Handle handle(daemon_);
        threadcount::Pool pool;
        pool.follow(handle.get());
        ASSERT_TRUE(eventually([&] {
                pool.async([] {}).get();
                return pool.width() == everything();
        }));
        pool.wait_idle();

        const auto on_waking = [&] {
                const auto client = lease(own_pid());
                return client ? client->granted() : 0;
        };
        ::kill(static_cast<pid_t>(other->pid()), SIGUSR1);
        ASSERT_TRUE(eventually([&] {
                return lease(other->pid()) && on_waking() > 0 && on_waking() < everything();
        }));

        // Other load on this machine may change it meanwhile.
        const auto before = on_waking();
        std::atomic<std::size_t> width{0};
        pool.async([&] { width = pool.width(); }).get();
        EXPECT_TRUE(width == before || width == on_waking())
                << width << ", and " << before << " or " << on_waking() << " granted";
        EXPECT_LT(width, everything());
}

TEST_F(PoolUnderAGovernor, GrowsAlsoForAProgramThatRunsLoopsOnly) {
        auto other = later_arrival();
        ::kill(static_cast<pid_t>(other->pid()), SIGUSR1);
        ASSERT_TRUE(becomes(1));
        const Handle handle(daemon_);
        threadcount::Pool pool;
        pool.follow(handle.get());
        const auto becomes_whole = [&](bool whole) {
                return eventually([&] {
                        pool.parallel_for(0, 100, [](int) {});
                        return (pool.width() == everything()) == whole;
                });
        };
        EXPECT_TRUE(becomes_whole(false));
        other->kill();
        EXPECT_TRUE(becomes_whole(true));
}

TEST(PoolWithoutAGovernor, RunsOnAllItsLanes) {
        threadcount_options options = THREADCOUNT_OPTIONS_INIT;
        options.socket_path = "/nonexistent/socket";
        threadcount_handle* handle = nullptr;
        ASSERT_EQ(threadcount_open(&options, &handle), 0);
        {
                threadcount::Pool pool;
                pool.follow(handle);
                EXPECT_EQ(pool.width(), pool.size());
                std::atomic<int> ran{0};
                for (int i = 0; i < 100; i++)
                        pool.submit([&] { ran++; });
                pool.wait_idle();
                EXPECT_EQ(ran, 100);
        }
        threadcount_close(handle);
}

/// Nothing but the handle itself tells a busy lane that its memory was written.
TEST(PoolWithoutAGovernor, FollowsAHandleThatIsOpenedWhileALaneIsBusy) {
        threadcount_options options = THREADCOUNT_OPTIONS_INIT;
        options.socket_path = "/nonexistent/socket";
        std::vector<threadcount_handle*> handles(100);
        std::atomic<bool> is_over{false};
        std::atomic<std::uint64_t> ran{0};
        std::function<void()> again;
        {
                threadcount::Pool pool;
                again = [&] {
                        ran.fetch_add(1, std::memory_order_relaxed);
                        if (!is_over.load(std::memory_order_relaxed))
                                pool.submit(again);
                };
                pool.submit(again);
                for (auto*& handle : handles) {
                        EXPECT_EQ(threadcount_open(&options, &handle), 0);
                        pool.follow(handle);
                        const auto before = ran.load(std::memory_order_relaxed);
                        EXPECT_TRUE(eventually(
                                [&] { return ran.load(std::memory_order_relaxed) > before + 1; }));
                }
                is_over = true;
                pool.wait_idle();
        }
        for (auto* handle : handles)
                threadcount_close(handle);
}
