// SPDX-License-Identifier: MIT
// CPU time of made-up processes and of this one.
#include "probe/process_clock.hpp"

#include "support/fake_machine.hpp"

#include <cerrno>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace governor::probe {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

nanoseconds read(ProcessClock& clock, std::uint32_t pid) {
        nanoseconds time{-1};
        EXPECT_EQ(clock.read(pid, time), 0);
        return time;
}

TEST(ProcessClockTest, OfAMadeUpProcessCountsItsOwnTicksOnly) {
        test_support::FakeMachine machine;
        test_support::FakeProcess process;
        process.pid = 7;
        process.user_ticks = 150;
        process.system_ticks = 50;
        process.reaped_user_ticks = 999;
        machine.process(process);
        ProcessClock clock(machine.root());
        EXPECT_EQ(read(clock, 7), 200 * nanoseconds{1'000'000'000 / sysconf(_SC_CLK_TCK)});
}

TEST(ProcessClockTest, SaysWhatIsWrong) {
        test_support::FakeMachine machine;
        ProcessClock clock(machine.root());
        nanoseconds time{42};
        EXPECT_EQ(clock.read(7, time), -ESRCH);
        machine.write("proc/7/stat", "7 (cut) S");
        EXPECT_EQ(clock.read(7, time), -EBADMSG);
        EXPECT_EQ(time, nanoseconds{42});
}

TEST(ProcessClockOfThisMachine, GrowsWithTheWorkOfThisProcess) {
        ProcessClock clock("");
        const auto pid = static_cast<std::uint32_t>(getpid());
        const auto before = read(clock, pid);
        EXPECT_GT(before, nanoseconds{0});
        timespec now{};
        const auto burnt = [&] {
                clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
                return std::chrono::seconds{now.tv_sec} + nanoseconds{now.tv_nsec} - before;
        };
        while (burnt() < milliseconds{20}) {
        }
        EXPECT_GE(read(clock, pid) - before, milliseconds{20});
}

TEST(ProcessClockOfThisMachine, HasNoTimeOfAProcessThatIsNoMore) {
        ProcessClock clock("");
        nanoseconds time{42};
        const pid_t child = fork();
        if (child == 0)
                _exit(0);
        ASSERT_GT(child, 0);
        ASSERT_EQ(waitpid(child, nullptr, 0), child);
        for (const auto pid : {static_cast<std::uint32_t>(child), 0U, UINT32_MAX})
                EXPECT_EQ(clock.read(pid, time), -ESRCH) << pid;
        EXPECT_EQ(time, nanoseconds{42});
}

TEST(ProcessClockOfThisMachine, AgreesWithItsFile) {
        ProcessClock clock("");
        ProcessClock file("/");
        const auto pid = static_cast<std::uint32_t>(getpid());
        const auto earlier = read(file, pid);
        const auto exact = read(clock, pid);
        const auto later = read(file, pid);
        EXPECT_LE(earlier, exact);
        EXPECT_LE(exact, later + milliseconds{20});  // two columns, each rounded down to a tick
}

}  // namespace
}  // namespace governor::probe
