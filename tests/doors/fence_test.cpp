// SPDX-License-Identifier: MIT
// A program of gcc's OpenMP under a `run` without an option: its threads sleep while the fence
// leaves them too few CPUs.
#include "integration/run_fixture.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace test_support;
using Words = std::vector<std::string>;

constexpr auto kSleep = "; its threads sleep where they lack CPUs (preload)";

class InAFence : public RunTest {
protected:
        void SetUp() override {
                if (everything() < 2)
                        GTEST_SKIP() << "needs two CPUs";
        }
        static std::string program(const std::string& name) { return PROGRAMS "/" + name; }
        /// Regions, one after the other, of as many threads as there are CPUs.
        [[nodiscard]] Words team(const Words& options = {}) {
                return run_words(options, {program("dozes"), "60"});
        }
        /// The threads that a process has at last.
        [[nodiscard]] static bool has_threads(const Running& running, std::uint32_t count) {
                return eventually([&] {
                        return status_line(running.command, "Threads") == std::to_string(count);
                });
        }
        [[nodiscard]] static std::size_t cpus_of(pid_t pid) {
                cpu_set_t cpus;
                CPU_ZERO(&cpus);
                return ::sched_getaffinity(pid, sizeof(cpus), &cpus) == 0
                               ? static_cast<std::size_t>(CPU_COUNT(&cpus))
                               : 0;
        }
        [[nodiscard]] static bool has_object(const Running& running) {
                const auto maps = read_file("/proc/" + std::to_string(running.command) + "/maps");
                return maps.find("/threadcount/doors/") != maps.npos;
        }
};

TEST_F(InAFence, ThreadsSleepWhileAnotherProgramTakesTheirCpus) {
        const auto first = start(team());
        EXPECT_TRUE(has_threads(first, everything()));
        EXPECT_EQ(cpus_of(first.command), everything());
        {
                const auto second = start(team());
                EXPECT_TRUE(eventually([&] { return cpus_of(first.command) < everything(); }));
                EXPECT_TRUE(has_threads(first, everything() + 2));
        }
        EXPECT_TRUE(eventually([&] { return cpus_of(first.command) == everything(); }));
        EXPECT_TRUE(has_threads(first, everything()));
}

TEST_F(InAFence, AProgramIsHeldToItsMaximum) {
        const auto running = start(team());
        EXPECT_TRUE(has_threads(running, everything()));
        const auto pid = std::to_string(running.run->pid());
        ASSERT_EQ(ctl(daemon_, {"set", pid, "--max", "1"}).status, 0);
        EXPECT_TRUE(eventually([&] { return cpus_of(running.command) == 1; }));
        EXPECT_TRUE(has_threads(running, everything() + 2));
        ASSERT_EQ(ctl(daemon_, {"set", pid, "--max", "0"}).status, 0);
        EXPECT_TRUE(has_threads(running, everything()));
}

TEST_F(InAFence, AProgramInALongRegionKeepsTheCpusThatItBeganWith) {
        const auto running = start(run_words({}, {program("dozes"), "long", "60"}));
        EXPECT_TRUE(has_threads(running, everything()));
        const auto beside = start(team());
        EXPECT_TRUE(eventually([&] { return cpus_of(beside.command) < everything(); }));
        std::this_thread::sleep_for(std::chrono::milliseconds{300});
        EXPECT_EQ(cpus_of(running.command), everything());
}

TEST_F(InAFence, ItIsSaid) {
        const auto running = start(team());
        EXPECT_NE(running.run->err().find(kSleep), std::string::npos) << running.run->err();
        const auto client = lease(static_cast<std::uint32_t>(running.run->pid()));
        ASSERT_TRUE(client.has_value());
        EXPECT_TRUE(client->acts().ends_with(
                ", its cpus follow, its threads sleep where they lack cpus"))
                << client->acts();
        const auto dry = run({team({"--dry-run"}), {}, {}}).out;
        EXPECT_NE(dry.find(kSleep), dry.npos) << dry;
        EXPECT_NE(dry.find("set THREADCOUNT_ADOPT (not set) -> fenced\n"), dry.npos) << dry;
}

TEST_F(InAFence, ProgramsThatSpinAsTheUserSaysKeepTheCpusThatTheyBeganWith) {
        for (const auto* variable :
             {"OMP_WAIT_POLICY=active", "OMP_PROC_BIND=false", "OMP_THREAD_LIMIT=100"}) {
                const auto running = start(team(), {variable});
                EXPECT_TRUE(has_threads(running, everything()));
                EXPECT_FALSE(has_object(running)) << variable;
                const auto said = running.run->err();
                EXPECT_EQ(said.find(kSleep), said.npos) << said;
        }
        const auto refused = start(team({"--no-preload"}));
        EXPECT_TRUE(has_threads(refused, everything()));
        EXPECT_FALSE(has_object(refused));
}

TEST_F(InAFence, AProgramOfAnotherKindHasNoObject) {
        const auto running = start(run_words({}, {"/bin/sleep", "60"}));
        EXPECT_FALSE(has_object(running));
}

TEST_F(InAFence, ATreeThatKeepsItsTeamsInsideKeepsThem) {
        const auto inner =
                std::string(GOVERNORCTL) + " run -q --keep -- " + program("dozes") + " 60";
        const auto running = start(run_words({}, {"/bin/sh", "-c", "exec " + inner}),
                                   {"THREADCOUNT_SOCKET=" + daemon_.socket()});
        pid_t kept = 0;
        EXPECT_TRUE(eventually([&] {
                for (const auto pid : descendants_of(running.run->pid()))
                        if (status_line(pid, "Name") == "dozes")
                                kept = pid;
                return kept != 0;
        }));
        const auto variables = read_file("/proc/" + std::to_string(kept) + "/environ");
        EXPECT_NE(variables.find("THREADCOUNT_ADOPT=keep"), variables.npos);
        EXPECT_NE(variables.find("OMP_WAIT_POLICY=passive"), variables.npos);
}

}  // namespace
