// SPDX-License-Identifier: MIT
// Control groups of made-up hosts and containers, version 1, 2 and both.
#include "probe/confinement.hpp"

#include "support/fake_machine.hpp"

#include <cerrno>
#include <gtest/gtest.h>
#include <unistd.h>

namespace governor::probe {
namespace {

using policy::CpuMask;
using test_support::FakeMachine;
using Groups = std::vector<CgroupQuota>;

constexpr policy::TimePoint kNow{std::chrono::seconds{7}};

class ConfinementTest : public ::testing::Test {
protected:
        ConfinementTest() { machine_.thread(7, 7, "0-3"); }

        void v2(const std::string& group, const std::string& cpu_max) {
                machine_.write("sys/fs/cgroup" + group + "/cpu.max", cpu_max);
        }
        void v1(const std::string& group, const std::string& quota, const std::string& period) {
                const auto at = "sys/fs/cgroup/cpu,cpuacct" + group;
                machine_.write(at + "/cpu.cfs_quota_us", quota);
                machine_.write(at + "/cpu.cfs_period_us", period);
        }
        Confinement read(std::uint32_t pid = 7) {
                Confinement found;
                EXPECT_EQ(ConfinementReader(machine_.root()).read(pid, kNow, found), 0);
                return found;
        }

        FakeMachine machine_;
};

TEST_F(ConfinementTest, IsAffinityAloneWithoutControlGroups) {
        EXPECT_EQ(read(), (Confinement{CpuMask::range(0, 4), {}, {}}));
        machine_.membership(7, "nonsense\n");
        EXPECT_EQ(read(), (Confinement{CpuMask::range(0, 4), {}, {}}));
}

TEST_F(ConfinementTest, IsNoneOfAProcessThatHasGone) {
        Confinement found{CpuMask::range(9, 1), {}, 5};
        const auto before = found;
        EXPECT_EQ(ConfinementReader(machine_.root()).read(8, kNow, found), -ESRCH);
        EXPECT_EQ(found, before);
}

TEST_F(ConfinementTest, TellsTheQuotasOfAllAncestorsOfAGroup) {
        machine_.mount_v2();
        machine_.membership(7, "0::/a/b/c\n");
        v2("/a", "200000 100000\n");
        v2("/a/b", "max 100000\n");
        v2("/a/b/c", "750000 100000\n");
        v2("/a/b/x", "100000 100000\n");
        EXPECT_EQ(read().groups,
                  (Groups{{"/a/b/c", 8}, {"/a/b", std::nullopt}, {"/a", 2}, {"", std::nullopt}}));
}

TEST_F(ConfinementTest, LooksAtTheLevelsNearestTheRootOnly) {
        machine_.mount_v2();
        std::string group;
        for (std::size_t level = 1; level <= kMostLevels + 1; level++) {
                group += "/g";
                v2(group, std::to_string(level) + "00000 100000\n");
        }
        for (int more = 0; more < 1000; more++)
                group += "/g";
        machine_.membership(7, "0::" + group + "\n");
        const auto groups = read().groups;
        ASSERT_EQ(groups.size(), kMostLevels + 1) << "the root too";
        EXPECT_EQ(groups.front().quota, kMostLevels);
        EXPECT_EQ(groups[kMostLevels - 1], (CgroupQuota{"/g", 1}));
        EXPECT_EQ(groups.back().path, "");
}

TEST_F(ConfinementTest, ReadsAGroupOnceAtEachMoment) {
        machine_.mount_v2();
        machine_.thread(8, 8, "0");
        machine_.membership(7, "0::/a/b\n");
        machine_.membership(8, "0::/a/c\n");
        v2("/a", "200000 100000\n");
        v2("/a/c", "100000 100000\n");
        ConfinementReader reader(machine_.root());
        Confinement found;
        ASSERT_EQ(reader.read(7, kNow, found), 0);
        v2("/a", "500000 100000\n");
        ASSERT_EQ(reader.read(8, kNow, found), 0);
        EXPECT_EQ(found.groups, (Groups{{"/a/c", 1}, {"/a", 2}, {"", std::nullopt}}));
        ASSERT_EQ(reader.read(8, kNow + std::chrono::seconds{1}, found), 0);
        EXPECT_EQ(found.groups, (Groups{{"/a/c", 1}, {"/a", 5}, {"", std::nullopt}}));
}

TEST_F(ConfinementTest, TellsTheOwnerAlone) {
        machine_.mount_v2();
        machine_.membership(7, "0::/user.slice/user-1000.slice/session-1.scope\n");
        ConfinementReader reader(machine_.root());
        EXPECT_EQ(reader.owner(7, kNow), 1000U);
        machine_.membership(7, "0::/user.slice/user-1001.slice/session-1.scope\n");
        EXPECT_EQ(reader.owner(7, kNow + std::chrono::seconds{1}), 1001U);
        EXPECT_EQ(reader.owner(9, kNow), std::nullopt) << "there is none";
}

TEST_F(ConfinementTest, RoundsAQuotaBelowOneCpuUp) {
        machine_.mount_v2();
        machine_.membership(7, "0::/\n");
        v2("", "1000 100000\n");
        EXPECT_EQ(read().groups, (Groups{{"", 1}}));
}

TEST_F(ConfinementTest, ReadsTheCpuControllerWhereverItIsMounted) {
        machine_.mount_hybrid();
        machine_.membership(7, "5:cpuset:/other\n4:cpu,cpuacct:/docker/1\n1:name=systemd:/s\n"
                               "0::/system.slice/docker.service\n");
        v1("/docker", "150000\n", "100000\n");
        v1("/docker/1", "-1\n", "100000\n");
        v1("", "-1\n", "100000\n");
        machine_.write("sys/fs/cgroup/unified/system.slice/cpu.max", "100000 100000\n");
        EXPECT_EQ(read().groups,
                  (Groups{{"/docker/1", std::nullopt}, {"/docker", 2}, {"", std::nullopt}}));
}

TEST_F(ConfinementTest, IgnoresHalfOfAVersionOneQuota) {
        machine_.mount_hybrid();
        machine_.membership(7, "4:cpu,cpuacct:/g\n");
        machine_.write("sys/fs/cgroup/cpu,cpuacct/g/cpu.cfs_quota_us", "300000\n");
        EXPECT_EQ(read().groups, (Groups{{"/g", std::nullopt}, {"", std::nullopt}}));
}

TEST_F(ConfinementTest, HasNoGroupsIfTheControllerHasNone) {
        machine_.mount_hybrid();
        machine_.membership(7, "5:cpuset:/other\n0::/x\n");
        EXPECT_TRUE(read().groups.empty());
}

TEST_F(ConfinementTest, FindsTheQuotaOfAContainerThatShowsTheHostsPath) {
        machine_.write("proc/self/mountinfo",
                       "29 23 0:26 /docker/1 /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
        machine_.membership(7, "0::/docker/1/app\n");
        v2("", "250000 100000\n");
        v2("/app", "100000 100000\n");
        EXPECT_EQ(read().groups, (Groups{{"/docker/1/app", 1},
                                         {"/docker/1", 3},
                                         {"/docker", std::nullopt},
                                         {"", std::nullopt}}));
}

TEST_F(ConfinementTest, NamesButDoesNotLookForGroupsOutsideOfItsNamespace) {
        machine_.mount_v2();
        machine_.membership(7, "0::/../x\n");
        v2("", "100000 100000\n");
        machine_.write("sys/fs/x/cpu.max", "100000 100000\n");
        EXPECT_EQ(read().groups, (Groups{{"/../x", std::nullopt}, {"/..", std::nullopt}}));
}

TEST_F(ConfinementTest, PrefersTheMountThatShowsMost) {
        machine_.write("proc/self/mountinfo", "1 1 0:26 /a /part rw - cgroup2 cgroup rw\n"
                                              "1 1 0:26 / /whole\\040one rw - cgroup2 cgroup rw\n"
                                              "1 1 0:26 /a/b /less rw - cgroup2 cgroup rw\n");
        machine_.membership(7, "0::/a/b\n");
        machine_.write("whole one/cpu.max", "300000 100000\n");
        machine_.write("part/cpu.max", "200000 100000\n");
        machine_.write("whole one/a/cpu.max", "100000 100000\n");
        EXPECT_EQ(read().groups, (Groups{{"/a/b", std::nullopt}, {"/a", 1}, {"", 3}}));
}

TEST_F(ConfinementTest, BelongsToTheUserOfItsSlice) {
        machine_.mount_v2();
        machine_.membership(7,
                            "0::/user.slice/user-1000.slice/user@1000.service/app.slice/x.scope\n");
        EXPECT_EQ(read().owner, 1000U);
        machine_.mount_hybrid();
        machine_.membership(7, "4:cpu,cpuacct:/user.slice\n1:name=systemd:/user.slice/"
                               "user-1001.slice/session-1.scope\n0::/user.slice\n");
        EXPECT_EQ(read().owner, 1001U);
}

TEST_F(ConfinementTest, BelongsToTheUserOfASliceInsideAContainer) {
        machine_.write("proc/self/mountinfo",
                       "29 23 0:26 /lxc/1 /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
        machine_.membership(7, "0::/lxc/1/user.slice/user-1000.slice/session-1.scope\n");
        EXPECT_EQ(read().owner, 1000U);
        machine_.mount_v2();  // the same from the host
        if (geteuid() == 0) {
                EXPECT_EQ(read().owner, std::nullopt);
        }
}

TEST_F(ConfinementTest, BelongsToWhoOwnsTheHighestGroupThatRootDoesNot) {
        if (geteuid() != 0)
                GTEST_SKIP() << "only root can give directories away";
        machine_.mount_v2();
        machine_.membership(7, "0::/system.slice/box.service/inner/most\n");
        v2("/system.slice/box.service/inner/most", "max 100000\n");
        EXPECT_EQ(read().owner, std::nullopt);
        const auto give = [&](const std::string& group, uid_t uid) {
                const auto path = machine_.directory().path("sys/fs/cgroup" + group);
                ASSERT_EQ(chown(path.c_str(), uid, 0), 0);
        };
        give("/system.slice/box.service/inner/most", 100'033);
        EXPECT_EQ(read().owner, 100'033U);
        give("/system.slice/box.service", 4242);
        EXPECT_EQ(read().owner, 4242U);
}

TEST_F(ConfinementTest, BelongsToNobodyInParticularWhereTheOwnerHasNoNumberHere) {
        if (geteuid() != 0)
                GTEST_SKIP() << "only root can give directories away";
        machine_.mount_v2();
        machine_.membership(7, "0::/box\n");
        v2("/box", "max 100000\n");
        const auto give = [&](const std::string& group, uid_t uid) {
                const auto path = machine_.directory().path("sys/fs/cgroup" + group);
                ASSERT_EQ(chown(path.c_str(), uid, 0), 0);
        };
        give("", 65534);
        EXPECT_EQ(read().owner, std::nullopt) << "of the host's root, seen from a user namespace";
        give("/box", 1000);
        EXPECT_EQ(read().owner, 1000U);
        machine_.write("proc/sys/kernel/overflowuid", "1000\n");
        EXPECT_EQ(read().owner, 65534U);
}

class ClaimTest : public ConfinementTest {
protected:
        /// The CPUs of process 7, whose threads show 0-3, and which says that it may run on 2-9.
        CpuMask with_claim() {
                auto cpus = read().cpus;
                ConfinementReader(machine_.root()).add_claimed(7, CpuMask::range(2, 8), cpus);
                return cpus;
        }
        void v2_cpuset(const std::string& group, const std::string& cpus) {
                machine_.write("sys/fs/cgroup" + group + "/cpuset.cpus.effective", cpus);
        }
};

TEST_F(ClaimTest, IsBelievedWhereNobodyUsesCpusets) {
        machine_.membership(7, "0::/a\n");
        EXPECT_EQ(with_claim(), CpuMask::range(0, 10));
        machine_.mount_v2();
        EXPECT_EQ(with_claim(), CpuMask::range(0, 10));
}

TEST_F(ClaimTest, IsBelievedAsFarAsTheCpusetAllows) {
        machine_.mount_v2();
        machine_.membership(7, "0::/a/b\n");
        v2_cpuset("", "0-15\n");
        v2_cpuset("/a", "0-5\n");
        v2_cpuset("/b", "0\n");
        EXPECT_EQ(with_claim(), CpuMask::range(0, 6)) << "of the nearest group that has one";
        v2_cpuset("/a/b", "8-12\n");
        EXPECT_EQ(with_claim(), CpuMask::range(0, 4) | CpuMask::range(8, 2));
}

TEST_F(ClaimTest, IsBelievedAsFarAsTheCpusetOfVersionOneAllows) {
        machine_.mount_hybrid();
        machine_.membership(7, "5:cpuset:/box\n0::/a\n");
        machine_.write("sys/fs/cgroup/cpuset/box/cpuset.effective_cpus", "0-4\n");
        machine_.write("sys/fs/cgroup/unified/a/cpuset.cpus.effective", "0-15\n");
        EXPECT_EQ(with_claim(), CpuMask::range(0, 5));
}

TEST_F(ClaimTest, NeverNarrows) {
        machine_.mount_v2();
        machine_.membership(7, "0::/a\n");
        v2_cpuset("/a", "1\n");
        EXPECT_EQ(with_claim(), CpuMask::range(0, 4));
        auto cpus = CpuMask::range(0, 2);
        ConfinementReader(machine_.root()).add_claimed(7, {}, cpus);
        ConfinementReader(machine_.root()).add_claimed(8, CpuMask::range(0, 9), cpus);
        EXPECT_EQ(cpus, CpuMask::range(0, 2));
}

TEST_F(ConfinementTest, OfThisMachineIsThatOfThisProcess) {
        Confinement found;
        ASSERT_EQ(ConfinementReader("").read(static_cast<std::uint32_t>(getpid()), kNow, found), 0);
        EXPECT_FALSE(found.cpus.empty());
        if (!found.groups.empty() && found.groups.back().path.find("..") == std::string::npos) {
                EXPECT_EQ(found.groups.back().path, "");
        }
}

}  // namespace
}  // namespace governor::probe
