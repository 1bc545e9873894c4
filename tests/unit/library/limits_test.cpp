// SPDX-License-Identifier: MIT
// Affinity and cgroup quotas of made-up containers.
#include "limits.hpp"

#include "support/temporary_directory.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <thread>

namespace threadcount {
namespace {

using test_support::TemporaryDirectory;

TEST(CpuMax, IsRoundedUpToWholeCpus) {
        const std::pair<const char*, std::uint32_t> rows[] = {
                {"250000 100000\n", 3},        {"200000 100000\n", 2}, {"100000 100000", 1},
                {"1000 100000\n", 1},          {"200001 100000\n", 3}, {"50000 10000\n", 5},
                {"6553500000 100000\n", 65535}};
        for (const auto& [text, cpus] : rows)
                EXPECT_EQ(parse_cpu_max(text), cpus) << text;
}

TEST(CpuMax, IsNoQuotaIfItSaysMaxOrNonsense) {
        for (const auto* text :
             {"max 100000\n", "max", "", "\n", "100000", "100000 0\n", "0 100000\n", "-1 100000\n",
              "100000 -1\n", "x y\n", "6553600000 100000\n", "99999999999999999999999 1\n"})
                EXPECT_EQ(parse_cpu_max(text), 0U) << text;
}

class Quota : public ::testing::Test {
protected:
        void cgroup(const std::string& lines) { root_.write("proc/self/cgroup", lines); }
        void v2(const std::string& group, const std::string& cpu_max) {
                root_.write("sys/fs/cgroup" + group + "/cpu.max", cpu_max);
        }
        void v1(const std::string& group, const std::string& quota, const std::string& period) {
                root_.write("sys/fs/cgroup/cpu" + group + "/cpu.cfs_quota_us", quota);
                root_.write("sys/fs/cgroup/cpu" + group + "/cpu.cfs_period_us", period);
        }
        [[nodiscard]] std::uint32_t cpus() const { return quota_cpus(root_.path().c_str()); }

        TemporaryDirectory root_;
};

TEST_F(Quota, IsNoneWithoutCgroups) {
        EXPECT_EQ(cpus(), 0U);
        cgroup("");
        EXPECT_EQ(cpus(), 0U);
        cgroup("nonsense\n0:\n:\n");
        EXPECT_EQ(cpus(), 0U);
}

TEST_F(Quota, IsNoneIfNoCgroupHasOne) {
        cgroup("0::/user.slice/app.scope\n");
        EXPECT_EQ(cpus(), 0U);
        v2("/user.slice", "max 100000\n");
        v2("/user.slice/app.scope", "max 100000\n");
        EXPECT_EQ(cpus(), 0U);
}

TEST_F(Quota, IsThatOfTheProgramsOwnCgroup) {
        cgroup("0::/a/b\n");
        v2("/a/b", "250000 100000\n");
        EXPECT_EQ(cpus(), 3U);
}

TEST_F(Quota, IsTheSmallestOfAllAncestors) {
        cgroup("0::/a/b/c\n");
        v2("/a", "200000 100000\n");
        v2("/a/b", "max 100000\n");
        v2("/a/b/c", "800000 100000\n");
        EXPECT_EQ(cpus(), 2U);
        v2("", "100000 100000\n");
        EXPECT_EQ(cpus(), 1U);
}

TEST_F(Quota, IsFoundInAContainerThatShowsTheHostsPath) {
        cgroup("0::/system.slice/container-1234.scope\n");
        v2("", "400000 100000\n");
        EXPECT_EQ(cpus(), 4U);
}

TEST_F(Quota, IsFoundAtTheRootOfANamespace) {
        cgroup("0::/\n");
        v2("", "150000 100000\n");
        EXPECT_EQ(cpus(), 2U);
}

TEST_F(Quota, IsNotTakenFromANeighbour) {
        cgroup("0::/a/b\n");
        v2("/a/bc", "100000 100000\n");
        v2("/a/b/c", "100000 100000\n");
        EXPECT_EQ(cpus(), 0U);
}

TEST_F(Quota, IsReadInTheOldHierarchyToo) {
        cgroup("12:cpuset:/other\n4:cpu,cpuacct:/docker/1\n1:name=systemd:/x\n");
        v1("/docker/1", "300000\n", "100000\n");
        EXPECT_EQ(cpus(), 3U);
        v1("/docker", "150000\n", "100000\n");
        EXPECT_EQ(cpus(), 2U);
        v1("/docker", "-1\n", "100000\n");
        EXPECT_EQ(cpus(), 3U);
}

TEST_F(Quota, IsReadWhereverTheCpuControllerStandsInItsLine) {
        v1("/g", "200000\n", "100000\n");
        for (const auto* controllers :
             {"cpu", "cpu,cpuacct", "cpuacct,cpu", "cpuset,cpu,cpuacct"}) {
                cgroup("3:" + std::string(controllers) + ":/g\n");
                EXPECT_EQ(cpus(), 2U) << controllers;
        }
        for (const auto* controllers :
             {"cpuset", "cpuacct", "cpuset,cpuacct", "xcpu", "name=cpu"}) {
                cgroup("3:" + std::string(controllers) + ":/g\n");
                EXPECT_EQ(cpus(), 0U) << controllers;
        }
}

TEST_F(Quota, IsTheSmallerOfBothHierarchies) {
        cgroup("4:cpu:/g\n0::/h\n");
        v1("/g", "300000\n", "100000\n");
        v2("/h", "500000 100000\n");
        EXPECT_EQ(cpus(), 3U);
        v2("/h", "100000 100000\n");
        EXPECT_EQ(cpus(), 1U);
}

TEST_F(Quota, IsNoneIfHalfOfTheOldOneIsMissing) {
        cgroup("4:cpu:/g\n");
        root_.write("sys/fs/cgroup/cpu/g/cpu.cfs_quota_us", "300000\n");
        EXPECT_EQ(cpus(), 0U);
}

TEST_F(Quota, SurvivesAColonInAName) {
        cgroup("0::/a:b/c\n");
        v2("/a:b", "200000 100000\n");
        EXPECT_EQ(cpus(), 2U);
}

TEST_F(Quota, SurvivesAPathLongerThanAnyFile) {
        cgroup("0::" + std::string(5000, '/') + "\n");
        EXPECT_EQ(cpus(), 0U);
}

std::uint32_t cpus_of_this_process() {
        cpu_set_t set;
        EXPECT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
        return static_cast<std::uint32_t>(CPU_COUNT(&set));
}

TEST(AllowedCpus, AreThoseOfTheAffinityMask) { EXPECT_EQ(allowed_cpus(), cpus_of_this_process()); }

TEST(AllowedCpus, AreNotNarrowedByOneBoundThread) {
        const auto expected = cpus_of_this_process();
        std::uint32_t seen = 0;
        std::thread bound([&] {
                cpu_set_t set;
                sched_getaffinity(0, sizeof(set), &set);
                int first = 0;
                while (!CPU_ISSET(first, &set))
                        first++;
                CPU_ZERO(&set);
                CPU_SET(first, &set);
                EXPECT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
                seen = allowed_cpus();
        });
        bound.join();
        EXPECT_EQ(seen, expected);
}

TEST(AllowedCpus, BoundTheFallback) {
        EXPECT_GE(fallback_threads(), 1U);
        EXPECT_LE(fallback_threads(), allowed_cpus());
}

}  // namespace
}  // namespace threadcount
