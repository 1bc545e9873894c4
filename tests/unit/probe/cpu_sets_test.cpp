// SPDX-License-Identifier: MIT
// Isolated and tickless CPUs.
#include "probe/cpu_sets.hpp"

#include "support/fake_machine.hpp"

#include <gtest/gtest.h>

namespace governor::probe {
namespace {

using policy::CpuMask;
using policy::CpuSet;

TEST(CpuSets, AreReadFromSysfs) {
        test_support::FakeMachine machine;
        machine.write("sys/devices/system/cpu/isolated", "2-3\n");
        machine.write("sys/devices/system/cpu/nohz_full", "3\n");
        const auto sets = read_cpu_sets(machine.root());
        EXPECT_EQ(sets.isolated, CpuMask(CpuSet{2, 3}));
        EXPECT_EQ(sets.nohz_full, CpuMask(CpuSet{3}));
}

TEST(CpuSets, AreIsolatedByTheCommandLineOrByPartitions) {
        test_support::FakeMachine machine;
        machine.mount_v2();
        machine.write("sys/fs/cgroup/cpuset.cpus.isolated", "5-6\n");
        EXPECT_EQ(read_cpu_sets(machine.root()).apart(), CpuMask(CpuSet{5, 6}));
        machine.write("sys/devices/system/cpu/isolated", "2-3\n");
        EXPECT_EQ(read_cpu_sets(machine.root()).apart(), CpuMask(CpuSet{2, 3, 5, 6}));
        machine.write("sys/fs/cgroup/cpuset.cpus.isolated", "\n");
        EXPECT_EQ(read_cpu_sets(machine.root()).apart(), CpuMask(CpuSet{2, 3}));
}

TEST(CpuSets, ThatCannotBeReadAreAsBefore) {
        const CpuSets before{CpuMask(CpuSet{1}), CpuMask(CpuSet{2}), CpuMask(CpuSet{3})};
        EXPECT_EQ(CpuSets{}.or_as(before), before);
        const CpuSets now{CpuMask(), std::nullopt, CpuMask(CpuSet{4})};
        EXPECT_EQ(now.or_as(before).apart(), CpuMask(CpuSet{2, 4}));
}

TEST(CpuSets, AreEmptyIfSysfsSaysNone) {
        test_support::FakeMachine machine;
        machine.write("sys/devices/system/cpu/isolated", "\n");
        machine.write("sys/devices/system/cpu/nohz_full", "  (null)\n");
        EXPECT_EQ(read_cpu_sets(machine.root()).isolated, CpuMask());
        EXPECT_EQ(read_cpu_sets(machine.root()).nohz_full, CpuMask());
        machine.write("sys/devices/system/cpu/nohz_full", "(null)\n");
        EXPECT_EQ(read_cpu_sets(machine.root()).nohz_full, CpuMask());
}

TEST(CpuSets, AreNotKnownWithoutSysfsOrIfItIsBroken) {
        test_support::FakeMachine machine;
        EXPECT_EQ(read_cpu_sets(machine.root()), CpuSets{});
        machine.write("sys/devices/system/cpu/isolated", "0-\n");
        EXPECT_EQ(read_cpu_sets(machine.root()), CpuSets{});
}

}  // namespace
}  // namespace governor::probe
