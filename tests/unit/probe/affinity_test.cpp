// SPDX-License-Identifier: MIT
// The union of the masks of all threads, made up and real.
#include "probe/affinity.hpp"

#include "support/fake_machine.hpp"

#include <cerrno>
#include <csignal>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace governor::probe {
namespace {

using policy::CpuMask;
using policy::CpuSet;
using test_support::FakeMachine;

CpuMask read(const FakeMachine& machine, std::uint32_t pid) {
        CpuMask cpus;
        std::uint32_t threads = 1;
        EXPECT_EQ(Affinity(machine.root()).read(pid, cpus, threads), 0);
        EXPECT_EQ(threads, 0U);
        return cpus;
}

int error(const FakeMachine& machine, std::uint32_t pid) {
        CpuMask cpus = CpuMask::range(5, 1);
        std::uint32_t threads = 0;
        const int result = Affinity(machine.root()).read(pid, cpus, threads);
        EXPECT_EQ(cpus, CpuMask::range(5, 1));
        return result;
}

TEST(AffinityTest, IsThatOfTheOnlyThread) {
        FakeMachine machine;
        machine.thread(7, 7, "0-3,8");
        EXPECT_EQ(read(machine, 7), CpuMask(CpuSet{0, 1, 2, 3, 8}));
}

TEST(AffinityTest, IsTheUnionWhenARuntimeHasBoundEachThread) {
        FakeMachine machine;
        for (std::uint32_t n = 0; n < 4; n++)
                machine.thread(7, 7 + n, std::to_string(2 * n));
        EXPECT_EQ(read(machine, 7), CpuMask(CpuSet{0, 2, 4, 6}));
}

TEST(AffinityTest, KnowsFourThousandAndNinetySixCpus) {
        FakeMachine machine;
        machine.thread(7, 7, "0-4095");
        EXPECT_EQ(read(machine, 7).count(), 4096U);
}

TEST(AffinityTest, PassesOverThreadsThatVanishMeanwhile) {
        FakeMachine machine;
        machine.thread(7, 7, "1");
        machine.thread(7, 8, "2");
        machine.write("proc/7/task/9/comm", "no status any more\n");
        machine.write("proc/7/task/10/status", "Name:\tcut");
        EXPECT_EQ(read(machine, 7), CpuMask(CpuSet{1, 2}));
}

TEST(AffinityTest, IsNoneOfAProcessThatHasGone) {
        FakeMachine machine;
        EXPECT_EQ(error(machine, 7), -ESRCH);
        machine.write("proc/7/task/7/comm", "gone after the list was read\n");
        EXPECT_EQ(error(machine, 7), -ESRCH);
        CpuMask cpus;
        std::uint32_t threads = 0;
        EXPECT_EQ(Affinity("").read(UINT32_MAX, cpus, threads), -ESRCH);
}

CpuMask mask_of_this_thread() {
        cpu_set_t set;
        EXPECT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
        CpuMask mask;
        for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
                if (CPU_ISSET(cpu, &set))
                        mask.add(cpu);
        return mask;
}

TEST(AffinityOfThisMachine, IsWhatTheKernelSaysOfThisProcess) {
        const auto pid = static_cast<std::uint32_t>(getpid());
        CpuMask cpus;
        std::uint32_t threads = 0;
        ASSERT_EQ(Affinity("").read(pid, cpus, threads), 0);
        EXPECT_EQ(cpus, mask_of_this_thread());
}

TEST(AffinityOfThisMachine, IsTheSameInItsFiles) {
        const auto pid = static_cast<std::uint32_t>(getpid());
        CpuMask cpus;
        std::uint32_t threads = 0;
        ASSERT_EQ(Affinity("/").read(pid, cpus, threads), 0);
        EXPECT_TRUE(mask_of_this_thread().is_within(cpus));
}

TEST(AffinityOfThisMachine, IsThatOfAnotherProcess) {
        const auto all = mask_of_this_thread();
        const pid_t child = ::fork();
        if (child == 0) {
                cpu_set_t one;
                CPU_ZERO(&one);
                CPU_SET(*all.first(), &one);
                // Another program, since a sanitizer may have given this one a second thread.
                if (sched_setaffinity(0, sizeof(one), &one) == 0)
                        ::execl("/bin/sh", "sh", "-c", "kill -STOP $$", nullptr);
                ::_exit(1);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
        ASSERT_TRUE(WIFSTOPPED(status));
        CpuMask seen;
        std::uint32_t threads = 0;
        EXPECT_EQ(Affinity("").read(static_cast<std::uint32_t>(child), seen, threads), 0);
        EXPECT_EQ(threads, 1U);
        EXPECT_EQ(seen, CpuMask::range(*all.first(), 1)) << "of its only thread";
        ::kill(child, SIGKILL);
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(Affinity("").read(static_cast<std::uint32_t>(child), seen, threads), -ESRCH);
}

TEST(AffinityOfThisMachine, IsNotNarrowedByAThreadThatIsBound) {
        const auto all = mask_of_this_thread();
        CpuMask seen;
        std::uint32_t threads = 0;
        std::thread([&] {
                cpu_set_t one;
                CPU_ZERO(&one);
                CPU_SET(*all.first(), &one);
                EXPECT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
                EXPECT_EQ(Affinity("").read(static_cast<std::uint32_t>(getpid()), seen, threads),
                          0);
        }).join();
        EXPECT_EQ(seen, all);
}

}  // namespace
}  // namespace governor::probe
