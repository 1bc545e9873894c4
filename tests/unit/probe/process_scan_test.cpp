// SPDX-License-Identifier: MIT
// All processes at once, and children after their parents.
#include "probe/process_scan.hpp"

#include "support/fake_machine.hpp"

#include <cerrno>
#include <gtest/gtest.h>
#include <map>
#include <unistd.h>

namespace governor::probe {
namespace {

using test_support::FakeMachine;
using test_support::FakeProcess;

FakeProcess process(std::uint32_t pid, std::uint32_t ppid) {
        FakeProcess made;
        made.pid = pid;
        made.ppid = ppid;
        return made;
}

PidStat stat(std::uint32_t pid, std::uint32_t ppid) {
        PidStat made;
        made.pid = pid;
        made.ppid = ppid;
        return made;
}

std::vector<std::uint32_t> pids(const std::vector<PidStat>& processes) {
        std::vector<std::uint32_t> pids;
        for (const auto& one : processes)
                pids.push_back(one.pid);
        return pids;
}

using Pids = std::vector<std::uint32_t>;

TEST(ProcessScanTest, FindsEveryProcessInOrder) {
        FakeMachine machine;
        for (const auto pid : {100U, 20U, 3U, 1U})
                machine.process(process(pid, pid == 1 ? 0 : 1));
        machine.write("proc/stat", "cpu0 1 2 3 4\n");
        machine.write("proc/12x/stat", "nothing of ours\n");
        ProcessScan scan(machine.root());
        ASSERT_EQ(scan.take(), 0);
        EXPECT_EQ(pids(scan.processes()), (Pids{1, 3, 20, 100}));
        ASSERT_NE(scan.find(20), nullptr);
        EXPECT_EQ(scan.find(20)->ppid, 1U);
        EXPECT_EQ(scan.find(21), nullptr);
}

TEST(ProcessScanTest, PassesOverWhatGoesMeanwhileOrIsBroken) {
        FakeMachine machine;
        machine.process(process(1, 0));
        machine.write("proc/2/comm", "no stat any more\n");
        machine.write("proc/3/stat", "3 (cut) S 1");
        machine.write("proc/4/stat", stat_line(process(5, 1)));
        ProcessScan scan(machine.root());
        ASSERT_EQ(scan.take(), 0);
        EXPECT_EQ(pids(scan.processes()), (Pids{1}));
        machine.end(1);
        ASSERT_EQ(scan.take(), 0);
        EXPECT_TRUE(scan.processes().empty());
}

TEST(ProcessScanTest, KeepsTheLastScanIfThereIsNoProc) {
        FakeMachine machine;
        machine.process(process(1, 0));
        ProcessScan scan(machine.root());
        ASSERT_EQ(scan.take(), 0);
        machine.remove("proc");
        EXPECT_EQ(scan.take(), -ENOENT);
        EXPECT_EQ(pids(scan.processes()), (Pids{1}));
}

TEST(ProcessScanTest, ReadsChildrenWithLowerPidsAfterTheirParents) {
        std::vector<PidStat> processes{stat(1, 0), stat(2, 9), stat(5, 1), stat(9, 5)};
        Pids again;
        read_after_parents(processes, [&](std::uint32_t pid) {
                again.push_back(pid);
                auto later = stat(pid, 9);
                later.user_ticks = 7;
                return std::optional(later);
        });
        EXPECT_EQ(again, (Pids{2}));
        EXPECT_EQ(processes[1].user_ticks, 7U);
        EXPECT_EQ(processes[2].user_ticks, 0U);
}

TEST(ProcessScanTest, ReadsWholeFamiliesAgainInTheirOrder) {
        const std::map<std::uint32_t, std::uint32_t> parents{
                {1, 0}, {2, 9}, {3, 2}, {4, 3}, {9, 1}};
        std::vector<PidStat> processes;
        for (const auto& [pid, ppid] : parents)
                processes.push_back(stat(pid, ppid));
        Pids again;
        read_after_parents(processes, [&](std::uint32_t pid) -> std::optional<PidStat> {
                again.push_back(pid);
                if (pid == 3)
                        return std::nullopt;
                return stat(pid, parents.at(pid));
        });
        EXPECT_EQ(again, (Pids{2, 3, 4}));
        EXPECT_EQ(pids(processes), (Pids{1, 2, 4, 9}));
}

TEST(ProcessScanTest, DoesNotHangOnPidsThatFormARing) {
        std::vector<PidStat> processes{stat(1, 3), stat(2, 1), stat(3, 2), stat(4, 4)};
        int reads = 0;
        read_after_parents(processes, [&](std::uint32_t pid) {
                reads++;
                return std::optional(stat(pid, 1));
        });
        EXPECT_LE(reads, 4);
        EXPECT_EQ(processes.size(), 4U);
}

TEST(ProcessScanOfThisMachine, FindsThisProcessAndItsParent) {
        ProcessScan scan("");
        ASSERT_EQ(scan.take(), 0);
        const auto* self = scan.find(static_cast<std::uint32_t>(getpid()));
        ASSERT_NE(self, nullptr);
        EXPECT_EQ(self->ppid, static_cast<std::uint32_t>(getppid()));
        EXPECT_EQ(self->state, 'R');
        EXPECT_EQ(self->nice, nice(0));
}

}  // namespace
}  // namespace governor::probe
