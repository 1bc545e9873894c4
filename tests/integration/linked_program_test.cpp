// SPDX-License-Identifier: MIT
// Leases that the library takes for a program: this one, and its children.
#include "lease_fixture.hpp"
#include "linked_program.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <gtest/gtest.h>
#include <memory>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

using namespace test_support;
using governor::v1::Error;

class LeaseOfALinkedProgram : public LeaseTest {};

TEST_F(LeaseOfALinkedProgram, IsReadBeforeEachRegion) {
        const Program program(daemon_, 1024);
        EXPECT_TRUE(eventually([&] { return program.threads() == everything(); }));
        EXPECT_EQ(count(), 1U);
        LeaseClient sibling(daemon_.socket());
        ASSERT_NE(sibling.hello(), nullptr);
        EXPECT_TRUE(sibling.update(1)->has_done());
        EXPECT_TRUE(eventually([&] { return program.threads() == 1; }));
}

TEST_F(LeaseOfALinkedProgram, IsSharedByThreadsThatStartRegionsAtTheSameTime) {
        const Program program(daemon_, 1024);
        ASSERT_TRUE(eventually([&] { return program.threads() == everything(); }));
        const auto half = std::max(everything() / 2, 1U);
        EXPECT_EQ(program.share(), everything());
        std::atomic<std::uint32_t> of_the_other{0};
        std::jthread other([&](const std::stop_token& stop) {
                for (; !stop.stop_requested(); ::usleep(1000))
                        of_the_other = program.share();
        });
        EXPECT_TRUE(eventually([&] { return program.share() == half && of_the_other == half; }));
        other = {};
        EXPECT_TRUE(eventually([&] { return program.share() == everything(); }));
}

TEST_F(LeaseOfALinkedProgram, IsNotSharedWhenTheGovernorHasGone) {
        const Program program(daemon_, 1024);
        ASSERT_TRUE(eventually([&] { return program.threads() == everything(); }));
        std::jthread other([&](const std::stop_token& stop) {
                for (; !stop.stop_requested(); ::usleep(1000))
                        (void)program.share();
        });
        const auto all = everything();
        const auto half = std::max(all / 2, 1U);
        EXPECT_TRUE(eventually([&] { return program.share() == half; }));
        daemon_.kill();
        other = {};
        EXPECT_TRUE(eventually([&] { return program.share() == all; }));
}

TEST_F(LeaseOfALinkedProgram, HasItsReasonUnderTheNextGovernorToo) {
        const Program program(daemon_);
        ASSERT_TRUE(eventually([&] { return program.threads() == everything(); }));
        daemon_.kill();
        daemon_.start();
        ASSERT_TRUE(eventually([&] {
                (void)program.threads();
                return program.reason().starts_with("governor: ");
        }));
        EXPECT_TRUE(eventually([&] {
                return program.reason().find("all cpus") != std::string::npos;
        })) << program.reason();
}

TEST_F(LeaseOfALinkedProgram, ThatIsNotFollowedIsSaidToBeSo) {
        if (everything() < 2)
                GTEST_SKIP() << "one CPU: a grant never changes";
        ::setenv("THREADCOUNT", "start-only", 1);
        const Program program(daemon_);
        ::unsetenv("THREADCOUNT");
        ASSERT_TRUE(eventually([&] { return program.threads() == everything(); }));
        LeaseClient sibling(daemon_.socket());
        ASSERT_NE(sibling.hello(), nullptr);
        ASSERT_TRUE(sibling.update(1)->has_done());
        EXPECT_TRUE(eventually([&] {
                return program.reason().starts_with(
                               "THREADCOUNT=start-only keeps its first grant, " +
                               std::to_string(everything()) + "; governor: ") &&
                       program.reason().ends_with(" -> 1");
        })) << program.reason();
        EXPECT_EQ(program.threads(), everything());
}

TEST_F(LeaseOfALinkedProgram, IsOverTheCpusThatAnotherHandleKnowsOfAtOnce) {
        daemon_.configure(kFair + "period = 60s\n");  // no sample looks where it may run
        daemon_.process().signal(SIGHUP);
        ASSERT_TRUE(eventually([&] { return status(daemon_.socket()).period_ms() == 60'000; }));
        cpu_set_t all;
        CPU_ZERO(&all);
        ASSERT_EQ(::sched_getaffinity(0, sizeof(all), &all), 0);
        std::uint64_t first_cpus = 0;
        for (unsigned cpu = 0; cpu < 64; cpu++)
                first_cpus |= CPU_ISSET(cpu, &all) ? std::uint64_t{1} << cpu : 0;
        if (everything() > 64 || first_cpus == 0)
                GTEST_SKIP() << "more CPUs than a word has bits";
        const ForkedProgram program([&] {
                ::setenv("THREADCOUNT", "adapt", 1);  // a runtime binds its threads
                cpu_set_t one;
                CPU_ZERO(&one);
                CPU_SET(static_cast<unsigned>(__builtin_ctzll(first_cpus)), &one);
                ::sched_setaffinity(0, sizeof(one), &one);
                const Program plain(daemon_, 1024);
                if (!eventually([&] { return plain.threads() == 1 && lease(own_pid()); }))
                        ::_exit(1);
                const Program knowing(daemon_, 1024, first_cpus);
                for (;;)
                        ::pause();
        });
        EXPECT_TRUE(eventually([&] {
                const auto client = lease(program.pid());
                return client && client->granted() == everything();
        }));
}

TEST_F(LeaseOfALinkedProgram, IsAsLargeAsTheLargestOfItsHandlesWishesFor) {
        if (everything() < 2)
                GTEST_SKIP() << "one CPU";
        const Program small(daemon_, 1);
        ASSERT_TRUE(eventually([&] { return small.threads() == 1 && count() == 1; }));
        const Program large(daemon_, 8);
        EXPECT_TRUE(eventually([&] { return large.threads() == std::min(everything(), 8U); }));
        EXPECT_EQ(small.threads(), 1U);
        EXPECT_EQ(count(), 1U);
}

TEST_F(LeaseOfALinkedProgram, OutlivesADaemonThatIsKilled) {
        const Program program(daemon_, 1024);
        ASSERT_TRUE(eventually([&] { return program.threads() == everything(); }));
        const auto had = program.threads();
        daemon_.kill();
        // Also when the heartbeat is noticed to stand still, and nobody is there.
        const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds{2'500};
        while (std::chrono::steady_clock::now() < until) {
                ASSERT_EQ(program.threads(), had);
                ::usleep(1000);
        }
        daemon_.start();
        EXPECT_TRUE(eventually([&] {
                (void)program.threads();
                return count() == 1;
        }));
        // It is not told that it has nothing, and comes to know its new grant.
        EXPECT_TRUE(eventually([&] {
                const auto client = lease(own_pid());
                return client && client->granted() == everything() &&
                       program.threads() == everything();
        }));
        LeaseClient sibling(daemon_.socket());
        ASSERT_NE(sibling.hello(), nullptr);
        EXPECT_EQ(sibling.memory().threads(), everything()) << "decided, but never told";
}

TEST_F(LeaseOfALinkedProgram, ComesBackAfterAStop) {
        const Program program(daemon_, 1024);
        ASSERT_TRUE(eventually([&] { return program.threads() == everything(); }));
        const auto had = program.threads();
        daemon_.process().signal(SIGTERM);
        ASSERT_EQ(daemon_.process().wait(), 0);
        EXPECT_EQ(program.threads(), had);
        daemon_.start();
        EXPECT_TRUE(eventually([&] {
                (void)program.threads();
                return count() == 1;
        }));
}

TEST_F(LeaseOfALinkedProgram, IsNotItsForkedChilds) {
        const Program program(daemon_);
        ASSERT_TRUE(eventually([&] { return program.threads() >= 1 && count() == 1; }));
        LeaseClient sibling(daemon_.socket());  // sees the same slot
        ASSERT_NE(sibling.hello(), nullptr);
        const auto regions = [&] {
                return __atomic_load_n(&sibling.memory().report().regions, __ATOMIC_RELAXED);
        };
        const auto before = regions();
        ForkedProgram child([&] {
                bool inert = true;
                for (int i = 0; i < 100; i++)
                        inert = program.threads() == 8 && inert;
                if (!inert || regions() != before)
                        ::_exit(1);
                const Program own(daemon_);
                if (!eventually([&] { return own.threads() >= 1 && count() == 2; }))
                        ::_exit(1);
                if (regions() != before)
                        ::_exit(1);
        });
        EXPECT_TRUE(child.finishes());
        EXPECT_EQ(regions(), before);
        EXPECT_TRUE(becomes(1));
        (void)program.threads();
        EXPECT_GT(regions(), before);
}

TEST_F(LeaseOfALinkedProgram, EndsWithItsHandleAlthoughAChildKeepsTheSocket) {
        auto program = std::make_unique<Program>(daemon_);
        ASSERT_TRUE(eventually([&] { return program->threads() >= 1 && count() == 1; }));
        const ForkedProgram child([] {
                for (;;)
                        ::pause();
        });
        program.reset();
        EXPECT_TRUE(becomes(0));
}

TEST_F(LeaseOfALinkedProgram, EndsWithItsHandleAlthoughAChildKeepsTheSocketFromBeforeAStall) {
        auto program = std::make_unique<Program>(daemon_);
        ASSERT_TRUE(eventually([&] { return program->threads() >= 1 && count() == 1; }));
        const ForkedProgram child([] {
                for (;;)
                        ::pause();
        });
        daemon_.process().signal(SIGSTOP);
        EXPECT_TRUE(eventually([&] {
                (void)program->threads();
                return program->version() == 0;
        })) << "the heartbeat stands still";
        daemon_.process().signal(SIGCONT);
        EXPECT_TRUE(eventually([&] {
                (void)program->threads();
                return program->version() != 0;
        }));
        program.reset();
        EXPECT_TRUE(becomes(0));
}

TEST_F(LeaseOfALinkedProgram, DoesNotEndWithTheHandleOfItsChild) {
        auto program = std::make_unique<Program>(daemon_);
        ASSERT_TRUE(eventually([&] { return program->threads() >= 1 && count() == 1; }));
        ForkedProgram child([&] { program.reset(); });
        EXPECT_TRUE(child.finishes());
        LeaseClient sibling(daemon_.socket());  // its answer comes after anything of the child's
        ASSERT_NE(sibling.hello(), nullptr);
        EXPECT_EQ(status(daemon_.socket()).connections(), 3U);
}

TEST_F(LeaseOfALinkedProgram, DoesNotEndWithTheHandleOfAChildThatWasForkedWithoutLibc) {
        auto program = std::make_unique<Program>(daemon_);
        ASSERT_TRUE(eventually([&] { return program->threads() >= 1 && count() == 1; }));
        const auto id = lease(own_pid())->id();
        const auto child = static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
        if (child == 0) {
                const bool is_inert = program->threads() == 8;
                program.reset();
                // It may take a lease of its own.
                const Program own(daemon_);
                ::_exit(is_inert && eventually([&] {
                                return own.threads() >= 1 &&
                                       lease(static_cast<std::uint32_t>(::getpid()));
                        })
                                ? 0
                                : 1);
        }
        int status = -1;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(WEXITSTATUS(status), 0);
        EXPECT_TRUE(becomes(1));
        LeaseClient sibling(daemon_.socket());  // its answer comes after anything of the child's
        ASSERT_NE(sibling.hello(), nullptr);
        ASSERT_TRUE(lease(own_pid()));
        EXPECT_EQ(lease(own_pid())->id(), id);
        EXPECT_TRUE(program->reason().starts_with("governor: ")) << program->reason();
}

TEST_F(LeaseOfALinkedProgram, IsNotThatOfAProgramThatItStarts) {
        const auto descriptors = [] {
                const auto listed = run({{"/bin/ls", "-l", "/proc/self/fd"}, {}, {}});
                return std::ranges::count(listed.out, '\n');
        };
        const auto before = descriptors();
        const Program program(daemon_);
        ASSERT_TRUE(eventually([&] { return program.threads() >= 1 && count() == 1; }));
        EXPECT_EQ(descriptors(), before) << "what exec hands on";
        const Process child(Command{{FOLLOWER, "0", "0"}, {daemon_.environment()}, {}});
        EXPECT_TRUE(becomes(2));
        EXPECT_TRUE(lease(static_cast<std::uint32_t>(child.pid())));
}

TEST_F(LeaseOfALinkedProgram, IsGivenInAPidNamespaceBelowTheDaemonsToo) {
        if (::geteuid() != 0)
                GTEST_SKIP() << "needs root";
        const Process container(Command{{"/usr/bin/unshare", "--pid", "--fork", "--kill-child",
                                         "--mount-proc", FOLLOWER, "0", "0"},
                                        {daemon_.environment()},
                                        {}});
        EXPECT_TRUE(becomes(1));
}

TEST_F(LeaseOfALinkedProgram, EndsWithExecAndTheNextTakesItsOwn) {
        ForkedProgram program([&] {
                const Program first(daemon_);
                while (first.threads() < 1 || !lease(own_pid()))
                        ::usleep(1000);
                ::execle(
                        FOLLOWER, FOLLOWER, "0", "0", nullptr,
                        std::array{daemon_.environment().c_str(), static_cast<const char*>(nullptr)}
                                .data());
                ::_exit(1);
        });
        EXPECT_TRUE(eventually([&] {
                const auto client = lease(program.pid());
                return client && client->label() == "follower" && client->granted() >= 1;
        }));
        EXPECT_EQ(count(), 1U);
        program.kill();
        EXPECT_TRUE(becomes(0));
}

TEST_F(LeaseOfALinkedProgram, GivesWayToQuestionsWhenThePolicyKnowsNone) {
        const Program program(daemon_, 1024);
        ASSERT_TRUE(eventually([&] { return program.threads() == everything(); }));
        const auto had = program.threads();
        daemon_.configure("[governor]\npolicy = threshold\n");
        daemon_.process().signal(SIGHUP);
        EXPECT_TRUE(eventually([&] {
                EXPECT_GE(program.threads(), had) << "it goes on with what it had, and grows";
                return status(daemon_.socket()).queries() > 2;
        }));
        EXPECT_EQ(count(), 0U);
}

TEST(NoLeases, AreTakenOnceThePolicyKnowsThem) {
        Daemon daemon("", "[governor]\npolicy = threshold\n");
        daemon.start();
        const Program program(daemon, 1024);
        ASSERT_TRUE(eventually([&] {
                (void)program.threads();
                return status(daemon.socket()).queries() > 0;
        }));
        daemon.configure(kFair);
        daemon.process().signal(SIGHUP);
        EXPECT_TRUE(eventually([&] {
                EXPECT_GE(program.threads(), 1U);
                return status(daemon.socket()).clients() == 1;
        }));
        EXPECT_TRUE(eventually([&] {
                const auto client = lease_of(daemon.socket(), own_pid());
                return client && client->granted() > 0 && program.threads() == client->granted();
        }));
        EXPECT_EQ(status(daemon.socket()).connections(), 2U) << "it asks no more";
}

TEST(NoLeases, UnderThePolicyThreshold) {
        Daemon daemon("", "[governor]\npolicy = threshold\n");
        daemon.start();
        LeaseClient client(daemon.socket());
        EXPECT_EQ(client.hello(), nullptr);
        EXPECT_EQ(client.last().error().code(), Error::NOT_GOVERNING);
        const Program program(daemon);
        EXPECT_TRUE(eventually([&] {
                EXPECT_GE(program.threads(), 1U);
                return status(daemon.socket()).queries() > 0;
        }));
        EXPECT_EQ(status(daemon.socket()).clients(), 0U);
}

}  // namespace
