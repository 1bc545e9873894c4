// SPDX-License-Identifier: MIT
// All processes at once, and children after their parents.
#include "probe/process_scan.hpp"

#include "probe/descendants.hpp"

#include "support/fake_machine.hpp"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
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

TEST(ProcessScanTest, LeavesKernelThreadsOutAndSeldomReadsThem) {
        constexpr unsigned kKernelThread = 0x00208040;
        FakeMachine machine;
        auto thread = process(15, 2);
        thread.flags = kKernelThread;
        machine.process(thread);
        machine.process(process(40, 1));
        ProcessScan scan(machine.root());
        ASSERT_EQ(scan.take(), 0);
        EXPECT_EQ(pids(scan.processes()), (Pids{40}));
        machine.process(process(15, 40));  // its pid has come again
        std::uint32_t scans = 0;
        while (scan.find(15) == nullptr && scans < 100) {
                ASSERT_EQ(scan.take(), 0);
                scans++;
        }
        EXPECT_GT(scans, 1U);
        EXPECT_LE(scans, ProcessScan::kTurns);
        ASSERT_EQ(scan.take(), 0);
        EXPECT_EQ(pids(scan.processes()), (Pids{15, 40}));
}

/// Clocks that stand still unless the test moves them.
class ProcessScanWithClocks : public testing::Test {
protected:
        std::uint64_t ticks(std::uint32_t pid) {
                EXPECT_EQ(scan_.take(), 0);
                const auto* found = scan_.find(pid);
                return found != nullptr ? found->user_ticks : 0;
        }
        void used(std::uint32_t pid, std::uint64_t ticks, std::uint32_t ppid = 1) {
                auto made = process(pid, ppid);
                made.user_ticks = ticks;
                machine_.process(made);
        }

        FakeMachine machine_;
        std::map<std::uint32_t, std::chrono::nanoseconds> clocks_{{1, {}}, {7, {}}, {9, {}}};
        ProcessScan scan_{machine_.root(), [this](std::uint32_t pid) {
                                  return clocks_.contains(pid) ? std::optional(clocks_[pid])
                                                               : std::nullopt;
                          }};
};

TEST_F(ProcessScanWithClocks, WhoHasNotRunIsNotReadUntilItsTurn) {
        used(1, 0, 0);
        used(7, 100);
        EXPECT_EQ(ticks(7), 100U);
        used(7, 200);
        EXPECT_EQ(ticks(7), 100U) << "its clock stands still";
        clocks_[7] += std::chrono::nanoseconds{1};
        EXPECT_EQ(ticks(7), 200U);
        used(7, 300);
        unsigned scans = 1;
        while (ticks(7) == 200 && scans < 100)
                scans++;
        EXPECT_GT(scans, 1U);
        EXPECT_LE(scans, ProcessScan::kTurns);
}

TEST_F(ProcessScanWithClocks, WhoHasNoClockIsAlwaysRead) {
        used(1, 0, 0);
        used(8, 100);
        EXPECT_EQ(ticks(8), 100U);
        used(8, 200);
        EXPECT_EQ(ticks(8), 200U);
}

TEST_F(ProcessScanWithClocks, WhoLosesHisParentIsRead) {
        used(1, 0, 0);
        used(7, 0);
        used(9, 0, 7);
        ASSERT_EQ(ticks(9), 0U);
        machine_.end(7);
        used(9, 0, 1);
        (void)ticks(9);
        EXPECT_EQ(scan_.find(9)->ppid, 1U);
}

TEST_F(ProcessScanWithClocks, WhoComesWithAnotherOnesPidIsRead) {
        used(1, 0, 0);
        used(7, 100);
        EXPECT_EQ(ticks(7), 100U);
        machine_.end(7);
        EXPECT_EQ(ticks(7), 0U);
        used(7, 3);
        EXPECT_EQ(ticks(7), 3U) << "though the clocks are the same";
}

/// The test does something at certain calls of a clock.
class ProcessScanWithChildrenFirst : public testing::Test {
protected:
        ProcessScanWithChildrenFirst() {
                write(1, 0, 0);
                write(5, 9, 100);
                write(9, 1, 0);
        }
        void write(std::uint32_t pid, std::uint32_t ppid, std::uint64_t ticks) {
                auto made = process(pid, ppid);
                made.user_ticks = ticks;
                machine_.process(made);
        }

        FakeMachine machine_;
        std::chrono::nanoseconds clock_{0};  // of 5
        std::function<void()> when_its_parent_is_read_ = [] {};
        ProcessScan scan_{machine_.root(), [this](std::uint32_t pid) {
                                  if (pid == 9)
                                          when_its_parent_is_read_();
                                  return std::optional(pid == 5 ? clock_
                                                                : std::chrono::nanoseconds{});
                          }};
};

TEST_F(ProcessScanWithChildrenFirst, ReadsAChildThatHasRunAfterItsParent) {
        when_its_parent_is_read_ = [this] {
                write(5, 9, 200);
                clock_ += std::chrono::nanoseconds{1};
        };
        ASSERT_EQ(scan_.take(), 0);
        EXPECT_EQ(scan_.find(5)->user_ticks, 200U);
}

TEST_F(ProcessScanWithChildrenFirst, DoesNotReadOneThatSleepsAgain) {
        when_its_parent_is_read_ = [this] { write(5, 9, 200); };
        ASSERT_EQ(scan_.take(), 0);
        EXPECT_EQ(scan_.find(5)->user_ticks, 100U) << "its clock stands still";
        EXPECT_EQ(scan_.find(9)->ppid, 1U);
}

TEST_F(ProcessScanWithChildrenFirst, LeavesOutAChildThatGoesBeforeItIsReadAgain) {
        when_its_parent_is_read_ = [this] {
                machine_.end(5);
                clock_ += std::chrono::nanoseconds{1};
        };
        ASSERT_EQ(scan_.take(), 0);
        EXPECT_EQ(pids(scan_.processes()), (Pids{1, 9}));
}

/// A scan that stops after each process.
class ProcessScanInParts : public testing::Test {
protected:
        ProcessScanInParts() {
                machine_.process(process(1, 0));
                for (std::uint32_t pid = 10; pid < 20; pid++)
                        machine_.process(process(pid, 1));
        }
        [[nodiscard]] int part() {
                return scan_.take([] { return true; });
        }
        [[nodiscard]] int parts_until_it_ends() {
                int parts = 1;
                while (part() == -EAGAIN && parts < 1000)
                        parts++;
                return parts;
        }

        FakeMachine machine_;
        ProcessScan scan_{machine_.root()};
        std::uint64_t ticks_ = 0;
};

TEST_F(ProcessScanInParts, GoesOnWhereItStopped) {
        const int parts = parts_until_it_ends();
        EXPECT_GT(parts, 11);
        EXPECT_LT(parts, 50);
        EXPECT_EQ(pids(scan_.processes()), (Pids{1, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}));
        const int again = parts_until_it_ends();
        EXPECT_EQ(again, parts) << "it begins anew";
}

TEST_F(ProcessScanInParts, KeepsTheLastScanUntilItEnds) {
        ASSERT_EQ(scan_.take(), 0);
        auto changed = process(15, 1);
        changed.user_ticks = 7;
        machine_.process(changed);
        while (part() == -EAGAIN) {
                ASSERT_EQ(scan_.processes().size(), 11U);
                ASSERT_EQ(scan_.find(15)->user_ticks, 0U);
        }
        EXPECT_EQ(scan_.find(15)->user_ticks, 7U);
}

TEST_F(ProcessScanInParts, ReadsChildrenAfterTheirParents) {
        machine_.process(process(12, 19));
        while (part() == -EAGAIN) {
                auto changed = process(12, 19);
                changed.user_ticks = ++ticks_;
                machine_.process(changed);
        }
        EXPECT_EQ(scan_.find(12)->user_ticks + 1, ticks_) << "last of all, before the last change";
}

TEST_F(ProcessScanInParts, DoesNotGoOnWithAScanThatWasDropped) {
        for (int i = 0; i < 20; i++)
                ASSERT_EQ(part(), -EAGAIN);
        auto changed = process(1, 0);
        changed.user_ticks = 7;
        machine_.process(changed);
        scan_.drop();
        ASSERT_EQ(scan_.take(), 0);
        EXPECT_EQ(scan_.find(1)->user_ticks, 7U);
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

/// The pids that read_before_parents() tells, in its order.
Pids early(const std::vector<PidStat>& processes) {
        Pids pids;
        for (const auto i : read_before_parents(processes))
                pids.push_back(processes.at(i).pid);
        return pids;
}

TEST(ProcessScanTest, FindsChildrenThatWereReadBeforeTheirParents) {
        EXPECT_EQ(early({stat(1, 0), stat(2, 9), stat(5, 1), stat(9, 5)}), (Pids{2}));
        EXPECT_EQ(early({stat(1, 0), stat(2, 1), stat(5, 1), stat(9, 5)}), (Pids{}));
}

TEST(ProcessScanTest, FindsWholeFamiliesInTheirOrder) {
        EXPECT_EQ(early({stat(1, 0), stat(2, 9), stat(3, 4), stat(4, 2), stat(9, 1)}),
                  (Pids{2, 4, 3}));
}

TEST(ProcessScanTest, DoesNotHangOnPidsThatFormARing) {
        EXPECT_LE(early({stat(1, 3), stat(2, 1), stat(3, 2), stat(4, 4)}).size(), 4U);
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

[[noreturn]] void burn_and_stop(clock_t time) {
        while (clock() < time) {
        }
        raise(SIGSTOP);
        while (clock() < 2 * time) {
        }
        _exit(0);
}

TEST(ProcessScanOfThisMachine, CountsAChildOnceWhileItLivesAndWhenItHasEnded) {
        const auto self = static_cast<std::uint32_t>(getpid());
        ProcessScan scan("");
        Descendants descendants;
        const auto ticks_now = [&] {
                EXPECT_EQ(scan.take(), 0);
                descendants.add(scan.processes(), std::vector<Descendants::Holder>{{self}});
                return descendants.ticks(self);
        };
        EXPECT_EQ(ticks_now(), 0U);
        const pid_t child = fork();
        if (child == 0) {
                const sched_param none{};
                sched_setscheduler(0, SCHED_IDLE, &none);
                burn_and_stop(CLOCKS_PER_SEC / 10);
        }
        ASSERT_GT(child, 0);
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
        ASSERT_TRUE(WIFSTOPPED(status));
        const auto alive = ticks_now();
        const auto* stopped = scan.find(static_cast<std::uint32_t>(child));
        ASSERT_NE(stopped, nullptr);
        EXPECT_TRUE(stopped->is_stopped());
        EXPECT_EQ(stopped->scheduling_policy, static_cast<unsigned>(SCHED_IDLE));
        kill(child, SIGCONT);
        rusage used{};
        ASSERT_EQ(wait4(child, nullptr, 0, &used), child);
        const auto used_us = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1'000'000 +
                             used.ru_utime.tv_usec + used.ru_stime.tv_usec;
        const auto used_ticks =
                static_cast<std::uint64_t>(used_us * sysconf(_SC_CLK_TCK) / 1'000'000);
        const auto ended = ticks_now();
        EXPECT_LT(alive, ended);
        EXPECT_LE(ended, used_ticks + 2);  // columns are rounded down on their own
        EXPECT_GE(ended + 4, used_ticks);
        EXPECT_EQ(ticks_now(), ended);
}

}  // namespace
}  // namespace governor::probe
