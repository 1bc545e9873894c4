// SPDX-License-Identifier: MIT
// The means that acts on a tree, on trees and machines below a made-up root.
#include "outside/choose.hpp"

#include "outside/look.hpp"
#include "outside/one_cpu.hpp"
#include "support/fake_machine.hpp"

#include <gtest/gtest.h>

namespace ctl::outside {
namespace {

using test_support::FakeMachine;
using test_support::FakeProcess;

constexpr std::uint32_t kRun = 100;
constexpr std::uint32_t kCommand = 101;

/// governorctl run with a command in a session of its own, on a host without systemd.
class ATree : public testing::Test {
protected:
        ATree() {
                machine_.write("proc/sys/kernel/sched_autogroup_enabled", "1\n");
                machine_.mount_v2();
                machine_.write("sys/fs/cgroup/cgroup.subtree_control", "\n");
                process(kRun, 1, 8000, 34816);
                process(kCommand, kRun, 8001);
        }

        void process(std::uint32_t pid, std::uint32_t parent, std::uint64_t group,
                     unsigned terminal = 0, int nice = 0) {
                FakeProcess process;
                process.pid = pid;
                process.ppid = parent;
                process.started_ticks = pid;
                process.terminal = terminal;
                machine_.process(process);
                machine_.write("proc/" + std::to_string(pid) + "/autogroup",
                               "/autogroup-" + std::to_string(group) + " nice " +
                                       std::to_string(nice) + "\n");
                machine_.membership(pid, "0::/\n");
        }
        [[nodiscard]] Facts look() const { return Look(machine_.root()).take(kRun); }
        /// Why autogroups do not act; empty: they do.
        [[nodiscard]] std::string why_not() const {
                const auto choice = choose(look());
                if (choice.means == Means::Autogroup)
                        return {};
                return choice.why_not.at(1);
        }

        FakeMachine machine_;
};

TEST_F(ATree, IsMadeOfProcessesThatNoOtherOneIs) {
        EXPECT_EQ(look().processes, (std::vector<ProcessId>{{kCommand, kCommand}}));
}

TEST_F(ATree, YieldsByItsAutogroup) {
        EXPECT_EQ(why_not(), "");
        EXPECT_EQ(describe(choose(look()), 1), "waits at autogroup nice 19 (1 session)");
}

TEST_F(ATree, IsAllThatDescendsFromTheRunAndNothingElse) {
        process(102, kCommand, 8002);
        process(103, 102, 8002);
        process(104, 1, 8003);
        const auto sessions = look().sessions;
        ASSERT_EQ(sessions.size(), 2U);
        EXPECT_EQ(sessions[0].group, (Autogroup{8001, 0}));
        EXPECT_EQ(sessions[0].pid, kCommand);
        EXPECT_EQ(sessions[1].group, (Autogroup{8002, 0}));
        EXPECT_EQ(sessions[1].pid, 102U);
}

TEST_F(ATree, YieldsByAScopeRatherThanByItsAutogroup) {
        auto facts = look();
        facts.no_scope.clear();
        EXPECT_EQ(choose(facts).means, Means::Scope);
}

TEST_F(ATree, DoesNotYieldWithTheShellThatItWasStartedFrom) {
        process(kCommand, kRun, 8000);
        EXPECT_EQ(why_not(),
                  "autogroup: the command is in the session of governorctl, not in one of "
                  "its own");
}

TEST_F(ATree, LeavesASessionWithATerminalAlone) {
        process(102, kCommand, 8002, 34817);
        const auto facts = look();
        ASSERT_EQ(facts.sessions.size(), 2U);
        EXPECT_TRUE(can_yield(facts.sessions[0], facts));
        EXPECT_FALSE(can_yield(facts.sessions[1], facts));
}

TEST_F(ATree, IsNotMadeToYieldWhereThatCouldNotBeGivenBack) {
        process(kCommand, kRun, 8001, 0, -5);
        EXPECT_EQ(why_not(),
                  "autogroup: the nice value of its autogroup is -5; 0 to 18 could be set "
                  "and given back");
        process(kCommand, kRun, 8001, 0, 19);
        EXPECT_NE(why_not(), "");
}

TEST_F(ATree, DoesNotYieldWhereAutogroupsAreOffOrUnknown) {
        machine_.write("proc/sys/kernel/sched_autogroup_enabled", "0\n");
        EXPECT_EQ(why_not(), "autogroup: kernel.sched_autogroup_enabled is not 1");
        machine_.remove("proc/sys/kernel/sched_autogroup_enabled");
        EXPECT_EQ(why_not(), "autogroup: kernel.sched_autogroup_enabled is not 1");
}

constexpr auto kNotTheRoot =
        "autogroup: its cpu control group is not the root, and autogroups act there only";

// Debian 12: the slices of users have the controller.
TEST_F(ATree, OfAUserSessionOfSystemdDoesNotYieldByItsAutogroup) {
        machine_.membership(kCommand, "0::/user.slice/user-1000.slice/session-3.scope\n");
        machine_.write("sys/fs/cgroup/cgroup.subtree_control", "cpu io memory pids\n");
        EXPECT_EQ(why_not(), kNotTheRoot);
}

TEST_F(ATree, BelowAGroupWithoutTheControllerIsInTheRootOfCpuTime) {
        machine_.membership(kCommand, "0::/user.slice/user-1000.slice/session-3.scope\n");
        machine_.write("sys/fs/cgroup/cgroup.subtree_control", "memory pids\n");
        EXPECT_EQ(why_not(), "");
}

// A container: "/" is any group.
TEST_F(ATree, InANamespaceOfControlGroupsDoesNotYieldByItsAutogroup) {
        machine_.write("sys/fs/cgroup/cgroup.type", "domain\n");
        EXPECT_EQ(why_not(), kNotTheRoot);
}

TEST_F(ATree, OfVersionOneYieldsInTheRealRootOnly) {
        machine_.mount_hybrid();
        machine_.membership(kCommand, "2:cpu,cpuacct:/\n0::/somewhere\n");
        EXPECT_EQ(why_not(), kNotTheRoot);
        machine_.write("sys/fs/cgroup/cpu,cpuacct/release_agent", "\n");
        EXPECT_EQ(why_not(), "");
        machine_.membership(kCommand, "2:cpu,cpuacct:/jobs\n0::/\n");
        EXPECT_EQ(why_not(), kNotTheRoot);
}

TEST_F(ATree, WithMoreSessionsThanOneRecordTakesYieldsWithTheFirst) {
        for (std::uint32_t i = 0; i < 100; i++)
                process(200 + i, kCommand, 9000 + i);
        EXPECT_EQ(look().sessions.size(), kMostAutogroups);
}

TEST_F(ATree, WaitsOnOneCpuWhereNothingElseActs) {
        process(kCommand, kRun, 8000);
        auto facts = look();
        EXPECT_EQ(choose(facts).means, Means::Nothing);
        EXPECT_EQ(choose(facts).why_not.size(), 3U);
        facts.no_one_cpu.clear();
        EXPECT_EQ(choose(facts).means, Means::OneCpu);
        EXPECT_EQ(describe(choose(facts), 0), "waits on one CPU");
}

TEST(SpinningRuntimes, AreSeenInWhatAProcessHasLoaded) {
        const std::string front = "7f00-7f01 r-xp 00000000 08:01 42 /usr/lib/x86_64-linux-gnu/";
        EXPECT_EQ(spinning_runtime(front + "libc.so.6\n"), "");
        EXPECT_EQ(spinning_runtime(front + "libgomp.so.1.0.0\n"), "libgomp");
        EXPECT_EQ(spinning_runtime(front + "llvm-14/lib/libomp.so.5\n"), "libomp");
        EXPECT_EQ(spinning_runtime(
                          "7f00-7f01 r-xp 0 08:01 4 /w/numpy.libs/libscipy_openblas64_-ff.so\n"),
                  "openblas");
}

TEST_F(ATree, ThatHasEndedDoesNotYield) {
        machine_.end(kCommand);
        EXPECT_EQ(why_not(), "autogroup: no process of the tree is in one");
}

TEST(Describe, IsShortHoweverMuchThereIsToSay) {
        const Choice choice{Means::Nothing, {std::string(300, 'a'), "b"}};
        EXPECT_EQ(describe(choice, 0).size(), 200U);
}

TEST(Autogroups, AreReadAsTheKernelWritesThem) {
        EXPECT_EQ(parse_autogroup("/autogroup-8499 nice -7\n"), (Autogroup{8499, -7}));
        for (const auto* text : {"", "\n", "/autogroup-8499 nice 0", "/autogroup-x nice 0\n",
                                 "/autogroup-8499 mean 0\n", "/autogroup-8499 nice 0 \n"})
                EXPECT_FALSE(parse_autogroup(text)) << text;
}

}  // namespace
}  // namespace ctl::outside
