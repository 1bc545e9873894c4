// SPDX-License-Identifier: MIT
// Parsers of what the kernel says about control groups.
#include "probe/cgroup_files.hpp"

#include <gtest/gtest.h>

namespace governor::probe {
namespace {

using std::chrono::microseconds;
using Texts = std::vector<std::string>;

Texts directories(const std::vector<CgroupMount>& mounts) {
        Texts texts;
        for (const auto& mount : mounts)
                texts.push_back(mount.controllers + "|" + mount.root + "|" + mount.directory);
        return texts;
}

TEST(CgroupMounts, AreFoundAmongAllOthers) {
        EXPECT_EQ(directories(parse_cgroup_mounts(
                          "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
                          "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
                          "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
                          "33 31 0:30 / /sys/fs/cgroup/systemd rw shared:5 master:2 - cgroup cg "
                          "rw,xattr,name=systemd\n"
                          "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n")),
                  (Texts{"rw,cpu,cpuacct|/|/sys/fs/cgroup/cpu",
                         "rw,xattr,name=systemd|/|/sys/fs/cgroup/systemd",
                         "|/|/sys/fs/cgroup/unified"}));
}

TEST(CgroupMounts, HaveTheirNamesUnescaped) {
        EXPECT_EQ(directories(parse_cgroup_mounts(
                          "1 2 0:3 /a\\040b /mnt/x\\134y\\011 rw - cgroup2 none rw\n"
                          "1 2 0:3 / /bad\\04 rw - cgroup2 none rw\n"
                          "1 2 0:3 / /bad\\999 rw - cgroup2 none rw\n")),
                  (Texts{"|/a b|/mnt/x\\y\t", "|/|/bad\\04", "|/|/bad\\999"}));
}

TEST(CgroupMounts, AreHiddenByALaterMountAtTheSamePlace) {
        EXPECT_EQ(directories(parse_cgroup_mounts("1 2 0:3 / /a rw - cgroup2 x rw\n"
                                                  "1 2 0:3 / /b rw - cgroup2 x rw\n"
                                                  "1 2 0:3 / /a rw - tmpfs x rw\n"
                                                  "1 2 0:3 /c /b rw - cgroup2 x rw\n")),
                  (Texts{"|/c|/b"}));
}

TEST(CgroupMounts, AreNotTakenFromBrokenLines) {
        for (const auto* text : {"", "\n", " - \n", " - cgroup2 x rw\n", "1 2 3 / - cgroup2 x rw\n",
                                 "1 2 3 / x rw - cgroup2 x rw\n", "1 2 3 / /x rw -cgroup2 x rw\n",
                                 "1 2 3 / /x rw - cgroup x\n", "1 2 3 / /x rw cgroup2 x rw\n"})
                EXPECT_TRUE(parse_cgroup_mounts(text).empty()) << text;
}

TEST(CgroupMemberships, AreReadInBothForms) {
        const auto memberships = parse_cgroup_memberships(
                "9:name=systemd:/user.slice\n4:cpu,cpuacct:/docker/1\n0::/a:b/c\n");
        ASSERT_EQ(memberships.size(), 3U);
        EXPECT_EQ(memberships[0].controllers, "name=systemd");
        EXPECT_EQ(memberships[1].controllers, "cpu,cpuacct");
        EXPECT_EQ(memberships[1].path, "/docker/1");
        EXPECT_EQ(memberships[2].controllers, "");
        EXPECT_EQ(memberships[2].path, "/a:b/c");
        EXPECT_TRUE(parse_cgroup_memberships("nonsense\n0:\n:\n0::\n0::relative\n\n").empty());
}

TEST(DirectoryBelow, FollowsTheGroupDownFromTheMount) {
        const CgroupMount whole{"", "/", "/sys/fs/cgroup"};
        EXPECT_EQ(directory_below(whole, "/"), "/sys/fs/cgroup");
        EXPECT_EQ(directory_below(whole, ""), "/sys/fs/cgroup");
        EXPECT_EQ(directory_below(whole, "/a/b"), "/sys/fs/cgroup/a/b");
        EXPECT_EQ(directory_below(whole, "/..a"), "/sys/fs/cgroup/..a");
}

TEST(DirectoryBelow, IsNoneOutsideOfWhatIsMounted) {
        const CgroupMount part{"", "/docker/1", "/cg"};
        EXPECT_EQ(directory_below(part, "/docker/1"), "/cg");
        EXPECT_EQ(directory_below(part, "/docker/1/x"), "/cg/x");
        for (const auto* group : {"/", "", "/docker", "/docker/12", "/docker/2", "/docker/1/.."})
                EXPECT_FALSE(directory_below(part, group)) << group;
        const CgroupMount whole{"", "/", "/cg"};
        for (const auto* group : {"/..", "/../x", "/a/../../x", "/a/.."})
                EXPECT_FALSE(directory_below(whole, group)) << group;
        // A mount from outside of our namespace.
        EXPECT_EQ(directory_below({"", "/..", "/cg"}, "/../x"), "/cg/x");
        EXPECT_FALSE(directory_below({"", "/..", "/cg"}, "/../../x"));
}

TEST(Ancestry, EndsAtTheRootOrWhereNamesEnd) {
        EXPECT_EQ(ancestry("/a/b"), (Texts{"/a/b", "/a", ""}));
        EXPECT_EQ(ancestry("/"), (Texts{""}));
        EXPECT_EQ(ancestry("/../x"), (Texts{"/../x", "/.."}));
        EXPECT_EQ(ancestry("/../../x/y"), (Texts{"/../../x/y", "/../../x", "/../.."}));
}

TEST(WithinLevels, CutsWhatLiesDeeper) {
        std::string deepest;
        for (std::size_t i = 0; i < kMostLevels; i++)
                deepest += "/g" + std::to_string(i);
        for (const auto& group : {std::string(), std::string("/"), std::string("/a"), deepest})
                EXPECT_EQ(within_levels(group), group);
        EXPECT_EQ(within_levels(deepest + "/x"), deepest);
        EXPECT_EQ(within_levels(deepest + "/x/y/z"), deepest);
}

TEST(CpuMax, IsRoundedUpToWholeCpus) {
        const std::pair<const char*, std::uint32_t> rows[] = {
                {"250000 100000\n", 3}, {"200000 100000\n", 2}, {"100000 100000", 1},
                {"1000 100000\n", 1},   {"200001 100000\n", 3}, {"6553500000 100000\n", 65535}};
        for (const auto& [text, cpus] : rows)
                EXPECT_EQ(parse_cpu_max(text), cpus) << text;
        EXPECT_EQ(parse_cfs_quota("150000\n", "100000\n"), 2U);
}

TEST(CpuMax, IsNoQuotaIfItSaysMaxOrNonsense) {
        for (const auto* text :
             {"max 100000\n", "max", "", "\n", "100000", "100000 0\n", "0 100000\n", "-1 100000\n",
              "100000 -1\n", "x y\n", "6553600000 100000\n", "99999999999999999999999 1\n",
              "9223372036854775807 1\n"})
                EXPECT_EQ(parse_cpu_max(text), std::nullopt) << text;
        EXPECT_EQ(parse_cfs_quota("-1\n", "100000\n"), std::nullopt);
        EXPECT_EQ(parse_cfs_quota("100000\n", ""), std::nullopt);
}

TEST(CpuStat, TellsTheUsage) {
        EXPECT_EQ(parse_usage("usage_usec 1234\nuser_usec 1000\n"), microseconds{1234});
        EXPECT_EQ(parse_usage("nr_periods 0\nusage_usec 5\n"), microseconds{5});
        for (const auto* text :
             {"", "usage_usec\n", "usage_usec -1\n", "usage_usec x\n", "user 1\n"})
                EXPECT_EQ(parse_usage(text), std::nullopt) << text;
}

TEST(UserSlice, TellsTheUserAtTheTopOnly) {
        EXPECT_EQ(user_of_slice("/user.slice/user-1000.slice/session-2.scope"), 1000U);
        EXPECT_EQ(user_of_slice("/user.slice/user-0.slice"), 0U);
        for (const auto* group :
             {"/", "/user.slice", "/user.slice/user-.slice", "/user.slice/user-x.slice",
              "/user.slice/user-1000", "/user.slice/user-1000.slicex/a",
              "/user.slice/user-99999999999.slice", "/system.slice/user.slice/user-0.slice",
              "/system.slice/x.service/user-0.slice", "user.slice/user-1.slice"})
                EXPECT_EQ(user_of_slice(group), std::nullopt) << group;
}

}  // namespace
}  // namespace governor::probe
