// SPDX-License-Identifier: MIT
// CPUs that come while programs hold leases, on a made-up machine.
#include "support/daemon.hpp"
#include "support/lease_client.hpp"
#include "support/wire.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using namespace test_support;

constexpr unsigned kCpus = 8;

/// Writes a program's mask as the kernel tells it: only what is online.
void may_run_on(const FakeMachine& machine, std::uint32_t pid, const std::string& cpus) {
        const auto process = std::filesystem::path(machine.root()) / "proc" / std::to_string(pid);
        const auto thread = process / "task" / std::to_string(pid);
        std::filesystem::create_directories(thread);
        std::ofstream(thread / "status") << "Name:\tprogram\nCpus_allowed_list:\t" << cpus << "\n";
}

TEST(Hotplug, CpusThatComeAreUsedByAllProgramsAtOnce) {
        FakeMachine machine;
        machine.runs(std::vector<unsigned>(1, 100));
        Daemon daemon(machine.root(), "[governor]\nperiod = 1s\nforeign_max = 0%\n");
        daemon.start();
        std::vector<std::unique_ptr<ForkedProgram>> programs;
        for (unsigned i = 0; i < kCpus; i++) {
                programs.push_back(std::make_unique<ForkedProgram>([&] {
                        may_run_on(machine, static_cast<std::uint32_t>(::getpid()), "0");
                        hold_a_lease(daemon.socket());
                }));
        }
        ASSERT_TRUE(eventually([&] { return leases(daemon.socket()).size() == kCpus; }));

        for (const auto& program : programs)
                may_run_on(machine, program->pid(), "0-7");
        machine.runs(std::vector<unsigned>(kCpus, 100));
        ASSERT_TRUE(eventually([&] { return status(daemon.socket()).cpus() == kCpus; }));
        const auto before = status(daemon.socket()).samples();
        ASSERT_TRUE(eventually([&] {
                const auto all = leases(daemon.socket());
                return std::none_of(all.begin(), all.end(),
                                    [](const auto& client) { return client.shared(); });
        })) << "a CPU for each";
        EXPECT_LE(status(daemon.socket()).samples(), before + 3);
}

TEST(Hotplug, AnIsolatedPartitionThatIsMadeLaterLeavesThePool) {
        FakeMachine machine;
        machine.runs({100, 100, 100, 100});
        machine.file("proc/self/mountinfo",
                     "29 23 0:26 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw\n");
        machine.file("sys/fs/cgroup/cpuset.cpus.isolated", "\n");
        Daemon daemon(machine.root(), "[governor]\nperiod = 50ms\n");
        daemon.start();
        const ForkedProgram program([&] {
                may_run_on(machine, static_cast<std::uint32_t>(::getpid()), "0-3");
                hold_a_lease(daemon.socket());
        });
        ASSERT_TRUE(eventually([&] { return leases(daemon.socket()).size() == 1; }));
        machine.file("sys/fs/cgroup/cpuset.cpus.isolated", "2-3\n");
        EXPECT_TRUE(eventually([&] { return status(daemon.socket()).cpus() == 2; }));
        EXPECT_TRUE(eventually([&] { return leases(daemon.socket())[0].granted() == 2; }));
        EXPECT_NE(daemon.process().err().find("info: CPUs that the kernel keeps apart changed: "
                                              "none -> 2-3\n"),
                  std::string::npos)
                << daemon.process().err();
        machine.file("sys/fs/cgroup/cpuset.cpus.isolated", "\n");
        EXPECT_TRUE(eventually([&] { return status(daemon.socket()).cpus() == 4; }));
}

}  // namespace
