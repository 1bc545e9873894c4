// SPDX-License-Identifier: MIT
// Programs that bind their threads to what they are granted: this one, beside others that only hold
// a lease. In front of every condition there is a region.
#include "lease_fixture.hpp"

#include "clock.hpp"
#include "handle.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <sys/wait.h>
#include <thread>
#include <threadcount/threadcount.h>
#include <vector>

namespace {

using namespace test_support;
using Cpus = std::set<unsigned>;

Cpus mask_of(int thread) {
        cpu_set_t mask;
        CPU_ZERO(&mask);
        Cpus cpus;
        if (::sched_getaffinity(thread, sizeof(mask), &mask) == 0)
                for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
                        if (CPU_ISSET(cpu, &mask))
                                cpus.insert(cpu);
        return cpus;
}

void bind_this_thread(const Cpus& cpus) {
        cpu_set_t mask;
        CPU_ZERO(&mask);
        for (const auto cpu : cpus)
                CPU_SET(cpu, &mask);
        ASSERT_EQ(::sched_setaffinity(0, sizeof(mask), &mask), 0);
}

/// The mask of every thread of this process.
std::map<int, Cpus> masks() {
        std::map<int, Cpus> masks;
        for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
                const auto thread = std::stoi(task.path().filename().string());
                masks[thread] = mask_of(thread);
        }
        return masks;
}

bool all_may_use(const Cpus& cpus) {
        for (const auto& [thread, mask] : masks())
                if (mask != cpus)
                        return false;
        return true;
}

/// Threads that do nothing.
class Idlers {
public:
        explicit Idlers(int count) : Idlers(count, [] {}) {}
        Idlers(int count, const std::function<void()>& first) {
                std::atomic<int> begun{0};
                for (int i = 0; i < count; i++)
                        threads_.emplace_back([&, first] {
                                first();
                                begun++;
                                over_.wait(false);
                        });
                while (begun < count)
                        std::this_thread::yield();
        }
        ~Idlers() {
                over_ = true;
                over_.notify_all();
                for (auto& thread : threads_)
                        thread.join();
        }
        Idlers(const Idlers&) = delete;
        Idlers& operator=(const Idlers&) = delete;

private:
        std::atomic<bool> over_{false};
        std::vector<std::thread> threads_;
};

class BoundProgram {
public:
        explicit BoundProgram(const Daemon& daemon,
                              std::uint32_t binding = THREADCOUNT_BINDING_CORES) {
                threadcount_options options = THREADCOUNT_OPTIONS_INIT;
                options.socket_path = daemon.socket().c_str();
                options.max_threads = 1024;
                options.binding = binding;
                EXPECT_EQ(threadcount_open(&options, &handle_), 0);
        }
        ~BoundProgram() { threadcount_close(handle_); }
        BoundProgram(const BoundProgram&) = delete;
        BoundProgram& operator=(const BoundProgram&) = delete;

        [[nodiscard]] threadcount_handle* handle() const { return handle_; }
        /// Begins regions until `condition` holds.
        template <class Condition>
        [[nodiscard]] bool runs_until(Condition condition) const {
                return eventually([&] {
                        (void)threadcount_threads(handle_);
                        return condition();
                });
        }

private:
        threadcount_handle* handle_ = nullptr;
};

class Binding : public LeaseTest {
protected:
        Binding() {
                daemon_.kill();
                daemon_.configure(kFair + "period = 50ms\n");
                daemon_.start();
        }
        void SetUp() override {
                if (everything() < 2)
                        GTEST_SKIP() << "two programs have one CPU";
        }
        void TearDown() override { EXPECT_TRUE(all_may_use(initial_)); }

        [[nodiscard]] Cpus granted() const {
                const auto client = lease(own_pid());
                return client ? cpus_of(client->cpus()) : Cpus{};
        }
        /// All threads may use what is granted, which is not everything.
        [[nodiscard]] bool is_bound() const {
                const auto cpus = granted();
                return !cpus.empty() && cpus.size() < initial_.size() && all_may_use(cpus);
        }
        /// A program that makes use of the CPU that it has, else it would lend it.
        [[nodiscard]] std::unique_ptr<ForkedProgram> busy_holder() const {
                return holder([] {
                        static std::atomic<unsigned> work{0};
                        work++;
                });
        }

        const Cpus initial_ = mask_of(0);
};

TEST_F(Binding, KeepsAllThreadsOnTheCpusOfTheGrant) {
        auto other = busy_holder();
        const BoundProgram program(daemon_);
        const Idlers idlers(3);
        EXPECT_TRUE(program.runs_until([&] { return is_bound(); }));
        const Idlers later(1);
        EXPECT_TRUE(is_bound()) << "a new thread has the mask of who creates it";
        other->kill();
        EXPECT_TRUE(program.runs_until([&] { return all_may_use(initial_); }));
}

TEST_F(Binding, IsNotWhereTheGovernorTakesItForTheUsersWish) {
        auto other = busy_holder();
        const BoundProgram program(daemon_);
        ASSERT_TRUE(program.runs_until([&] { return is_bound(); }));
        // At each sample the governor looks at one program at least.
        const auto until = status(daemon_.socket()).samples() + 6;
        ASSERT_TRUE(
                program.runs_until([&] { return status(daemon_.socket()).samples() >= until; }));
        EXPECT_TRUE(is_bound());
        other->kill();
        EXPECT_TRUE(program.runs_until([&] { return granted() == initial_; }));
}

TEST_F(Binding, LeavesThreadsAloneThatSomebodyElseHasBound) {
        const auto other = busy_holder();
        const auto client = [&] { return lease(other->pid()); };
        ASSERT_TRUE(eventually([&] { return client() && client()->granted() > 0; }));
        const BoundProgram program(daemon_);
        ASSERT_TRUE(program.runs_until([&] { return is_bound(); }));
        // The one that we have not.
        Cpus others;
        for (const auto cpu : initial_)
                if (!granted().contains(cpu))
                        others = {cpu};
        std::atomic<int> bound{0};
        {
                const Idlers idlers(1, [&] {
                        bind_this_thread(others);
                        bound = ::gettid();
                });
                const auto regions = [&] { return program.handle()->lease.arena().regions(); };
                other->kill();
                ASSERT_TRUE(program.runs_until([&] { return mask_of(0) == initial_; }));
                EXPECT_EQ(mask_of(bound), others);
                EXPECT_GT(regions(), 0U);
        }
}

TEST_F(Binding, NeverWidensAProgramThatItsUserHasBound) {
        const auto only = Cpus{*initial_.rbegin()};
        ForkedProgram program([&] {
                bind_this_thread(only);
                const BoundProgram bound(daemon_);
                for (int i = 0; i < 100; i++)
                        if (threadcount_threads(bound.handle()) == 0 || mask_of(0) != only)
                                ::_exit(1);
        });
        EXPECT_TRUE(program.finishes());
}

TEST_F(Binding, EndsWithTheLastHandle) {
        const auto other = busy_holder();
        const Idlers idlers(2);
        auto first = std::make_unique<BoundProgram>(daemon_);
        auto second = std::make_unique<BoundProgram>(daemon_);
        ASSERT_TRUE(first->runs_until([&] { return is_bound(); }));
        first.reset();
        EXPECT_TRUE(is_bound());
        second.reset();
        EXPECT_TRUE(all_may_use(initial_));
}

TEST_F(Binding, EndsWhenTheGovernorReleasesTheProgram) {
        const auto other = busy_holder();
        const BoundProgram program(daemon_);
        ASSERT_TRUE(program.runs_until([&] { return is_bound(); }));
        daemon_.process().signal(SIGTERM);
        ASSERT_EQ(daemon_.process().wait(), 0);
        EXPECT_TRUE(program.runs_until([&] { return all_may_use(initial_); }));
        daemon_.start();
}

TEST_F(Binding, OutlivesAGovernorThatWasKilledAsLongAsItsGrantDoes) {
        const auto other = busy_holder();
        const BoundProgram program(daemon_);
        ASSERT_TRUE(program.runs_until([&] { return is_bound(); }));
        const auto cpus = granted();
        daemon_.kill();
        auto& lease = program.handle()->lease;
        ASSERT_TRUE(program.runs_until([&] { return lease.arena().load() == 0; }));
        EXPECT_TRUE(all_may_use(cpus));
        const auto now_ms = threadcount::coarse_now_ms();
        (void)lease.run(now_ms + 50'000, 0);
        EXPECT_TRUE(all_may_use(cpus));
        (void)lease.run(now_ms + 60'000, 0);
        EXPECT_TRUE(all_may_use(initial_));
        daemon_.start();
}

TEST_F(Binding, IsKnownToAGovernorThatWasRestarted) {
        std::unique_ptr<ForkedProgram> other = busy_holder();
        const BoundProgram program(daemon_);
        ASSERT_TRUE(program.runs_until([&] { return is_bound(); }));
        daemon_.kill();
        other->kill();
        daemon_.start();
        ASSERT_TRUE(program.runs_until([&] { return count() == 1; }));
        EXPECT_TRUE(
                program.runs_until([&] { return granted() == initial_ && all_may_use(initial_); }));
}

TEST_F(Binding, IsNotInheritedByAForkedChild) {
        const auto other = busy_holder();
        const BoundProgram program(daemon_);
        ASSERT_TRUE(program.runs_until([&] { return is_bound(); }));
        ForkedProgram child([&] {
                if (mask_of(0) != initial_)
                        ::_exit(1);
                const BoundProgram own(daemon_);
                if (threadcount_max(own.handle()) != 1024)
                        ::_exit(1);
        });
        EXPECT_TRUE(child.finishes());
        EXPECT_TRUE(program.runs_until([&] { return is_bound(); })) << "to what is granted now";
}

TEST_F(Binding, DoesNotNarrowWhatOtherHandlesCountWith) {
        const auto other = busy_holder();
        const auto before = threadcount_max(nullptr);
        const BoundProgram program(daemon_);
        ASSERT_TRUE(program.runs_until([&] { return is_bound(); }));
        EXPECT_EQ(threadcount_max(nullptr), before);
}

TEST_F(Binding, IsTheUsersChoice) {
        ::setenv("THREADCOUNT_BINDING", "none", 1);
        EXPECT_EQ(BoundProgram(daemon_).handle()->binding, nullptr);
        ::setenv("THREADCOUNT_BINDING", "cores", 1);
        EXPECT_NE(BoundProgram(daemon_, THREADCOUNT_BINDING_NONE).handle()->binding, nullptr);
        ::setenv("OMP_PROC_BIND", "close", 1);
        EXPECT_EQ(BoundProgram(daemon_).handle()->binding, nullptr);
        ::unsetenv("OMP_PROC_BIND");
        ::unsetenv("THREADCOUNT_BINDING");
        EXPECT_EQ(BoundProgram(daemon_, THREADCOUNT_BINDING_NONE).handle()->binding, nullptr);
}

TEST_F(Binding, IsNoneOfAnotherNumber) {
        threadcount_options options = THREADCOUNT_OPTIONS_INIT;
        options.binding = THREADCOUNT_BINDING_CORES + 1;
        threadcount_handle* handle = nullptr;
        EXPECT_EQ(threadcount_open(&options, &handle), -EINVAL);
        EXPECT_EQ(handle, nullptr);
}

/// Under the thread sanitizer this is the test that matters.
TEST_F(Binding, IsDoneByOneOfManyThreadsThatSeeANewGrant) {
        const BoundProgram program(daemon_);
        const BoundProgram another(daemon_);
        ASSERT_TRUE(program.runs_until([&] { return granted() == initial_; }));
        auto other = busy_holder();
        std::atomic<bool> over{false};
        std::vector<std::thread> masters;
        for (int i = 0; i < 4; i++)
                masters.emplace_back([&, handle = (i % 2 == 0 ? program : another).handle()] {
                        while (!over) {
                                (void)threadcount_threads(handle);
                                std::this_thread::yield();
                        }
                });
        EXPECT_TRUE(eventually([&] { return is_bound(); }));
        const auto child = fork_child();
        if (child == 0)
                ::_exit(mask_of(0) == initial_ ? 0 : 1);
        int ended = -1;
        ::waitpid(child, &ended, 0);
        EXPECT_EQ(ended, 0);
        other->kill();
        EXPECT_TRUE(eventually([&] { return all_may_use(initial_); }));
        over = true;
        for (auto& master : masters)
                master.join();
}

}  // namespace
