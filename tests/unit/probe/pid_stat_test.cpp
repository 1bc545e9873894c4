// SPDX-License-Identifier: MIT
// The parser of /proc/PID/stat on recorded, made-up, cut and broken text.
#include "probe/pid_stat.hpp"

#include "support/fake_machine.hpp"

#include <gtest/gtest.h>
#include <sched.h>

namespace governor::probe {
namespace {

using test_support::FakeProcess;
using test_support::stat_line;

// Linux 6.18, a shell.
constexpr std::string_view kRecorded =
        "412 (bash) S 398 412 412 34816 431 4194304 1521 5230 3 7 11 6 42 19 20 0 1 0 2243 "
        "4788224 961 18446744073709551615 94316 95229 140727 0 0 0 65536 3686404 1266761467 0 0 0 "
        "17 1 0 0 0 0 0 95338 95386 943182 140727 140727 140727 140727 0\n";

TEST(PidStat, ReadsARecordedProcess) {
        const auto stat = parse_pid_stat(kRecorded);
        ASSERT_TRUE(stat);
        EXPECT_EQ(stat->pid, 412U);
        EXPECT_EQ(stat->ppid, 398U);
        EXPECT_EQ(stat->state, 'S');
        EXPECT_EQ(stat->user_ticks, 11U);
        EXPECT_EQ(stat->system_ticks, 6U);
        EXPECT_EQ(stat->own_ticks(), 17U);
        EXPECT_EQ(stat->reaped_ticks, 61U);
        EXPECT_EQ(stat->nice, 0);
        EXPECT_EQ(stat->started_ticks, 2243U);
        EXPECT_EQ(stat->scheduling_policy, 0U);
        EXPECT_FALSE(stat->is_stopped());
}

TEST(PidStat, TakesEveryColumnFromItsPlace) {
        FakeProcess process;
        process.pid = 7;
        process.ppid = 3;
        process.user_ticks = 11;
        process.system_ticks = 22;
        process.reaped_user_ticks = 33;
        process.reaped_system_ticks = 44;
        process.nice = -7;
        process.started_ticks = 55;
        process.scheduling_policy = SCHED_IDLE;
        const auto stat = parse_pid_stat(stat_line(process));
        ASSERT_TRUE(stat);
        EXPECT_EQ(stat->pid, 7U);
        EXPECT_EQ(stat->ppid, 3U);
        EXPECT_EQ(stat->user_ticks, 11U);
        EXPECT_EQ(stat->system_ticks, 22U);
        EXPECT_EQ(stat->reaped_ticks, 77U);
        EXPECT_EQ(stat->nice, -7);
        EXPECT_EQ(stat->started_ticks, 55U);
        EXPECT_EQ(stat->scheduling_policy, static_cast<unsigned>(SCHED_IDLE));
}

TEST(PidStat, IsNotFooledByTheNameOfTheProgram) {
        for (const auto* name :
             {"a b", ") (", ") R 1 1 1", "(", ")", "", "a\nb", ") ) )", "7 (x)"}) {
                FakeProcess process;
                process.ppid = 42;
                process.user_ticks = 9;
                process.name = name;
                const auto stat = parse_pid_stat(stat_line(process));
                ASSERT_TRUE(stat) << name;
                EXPECT_EQ(stat->ppid, 42U) << name;
                EXPECT_EQ(stat->user_ticks, 9U) << name;
        }
}

TEST(PidStat, TellsWhoIsStopped) {
        for (const char state : {'T', 't', 'R', 'S', 'D', 'Z', 'I', 'X'}) {
                FakeProcess process;
                process.state = state;
                const auto stat = parse_pid_stat(stat_line(process));
                ASSERT_TRUE(stat);
                EXPECT_EQ(stat->is_stopped(), state == 'T' || state == 't') << state;
        }
}

TEST(PidStat, TellsKernelThreads) {
        EXPECT_FALSE(parse_pid_stat(kRecorded)->is_kernel_thread);
        const auto thread = parse_pid_stat(
                "15 (rcu_preempt) I 2 0 0 0 -1 2129984 0 0 0 0 0 113 0 0 20 0 1 0 25 0 0 "
                "18446744073709551615 0 0 0 0 0 0 0 2147483647 0 1 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 "
                "0 0\n");
        ASSERT_TRUE(thread);
        EXPECT_TRUE(thread->is_kernel_thread);
        EXPECT_EQ(thread->ppid, 2U);
}

TEST(PidStat, RefusesWhatIsCut) {
        for (std::size_t size = 0; size < kRecorded.size(); size++)
                EXPECT_FALSE(parse_pid_stat(kRecorded.substr(0, size))) << size;
        // A line that ends early is not that of a kernel that has scheduling policies.
        EXPECT_FALSE(parse_pid_stat(std::string(kRecorded.substr(0, 100)) + "\n"));
}

TEST(PidStat, RefusesWhatIsNoNumber) {
        const auto replaced = [](std::string_view from, std::string_view to) {
                std::string text(kRecorded);
                return text.replace(text.find(from), from.size(), to);
        };
        EXPECT_TRUE(parse_pid_stat(replaced(" 398 ", " 399 ")));
        for (const auto* ppid : {" x ", " -1 ", "  ", " 4294967296 ", " 1.5 ", " +1 "})
                EXPECT_FALSE(parse_pid_stat(replaced(" 398 ", ppid))) << ppid;
        EXPECT_FALSE(parse_pid_stat(replaced("412 (", "x (")));
        EXPECT_FALSE(parse_pid_stat(replaced(") S ", ") SS ")));
        for (const auto* text : {"", "\n", "()\n", " () \n", ") (\n", "1 (x) \n", "1 (x) S\n"})
                EXPECT_FALSE(parse_pid_stat(text)) << text;
}

}  // namespace
}  // namespace governor::probe
