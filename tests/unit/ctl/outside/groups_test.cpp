// SPDX-License-Identifier: MIT
// Control groups of version 2 below a made-up root: which of them a tree may leave for a scope.
#include "outside/groups.hpp"

#include "support/fake_machine.hpp"

#include <gtest/gtest.h>

namespace ctl::outside {
namespace {

constexpr uid_t kSomeUser = 1000;
const std::string kOwn = "/user.slice/user-1000.slice";
const std::string kShell = kOwn + "/session-3.scope";

class TheGroups : public testing::Test {
protected:
        TheGroups() { machine_.mount_v2(); }

        void write(const std::string& group, const std::string& file, const std::string& text) {
                machine_.write("sys/fs/cgroup" + group + "/" + file, text + "\n");
        }
        [[nodiscard]] std::string why_not(const std::string& group) const {
                return Groups(machine_.root()).refuse_to_leave(group, kSomeUser);
        }

        test_support::FakeMachine machine_;
};

TEST_F(TheGroups, AreLeftWhereTheyAreASessionOfTheUserWithoutLimits) {
        write(kShell, "memory.max", "max");
        write(kShell, "cpu.max", "max 100000");
        write(kShell, "cpu.weight", "100");
        write(kShell, "cpu.idle", "0");
        write(kShell, "cpuset.cpus", "");
        EXPECT_EQ(why_not(kShell), "");
        EXPECT_EQ(why_not(kOwn + "/user@1000.service/app.slice/terminal.scope"), "");
}

TEST_F(TheGroups, AreNotLeftWhereTheyAreSomebodyElsesBusiness) {
        for (const auto* group :
             {"", "/", "/system.slice/slurmstepd.scope/job_7",
              "/user.slice/user-1001.slice/a.scope", "/user.slice/user-1000.slice",
              "/user.slice/user-1000.slicex/a", "/../a"})
                EXPECT_EQ(why_not(group), "its control group is no session of this user") << group;
}

TEST_F(TheGroups, AreNotLeftWhereALimitWouldBeLeftWithThem) {
        const auto inner = kOwn + "/user@1000.service/app.slice/job.scope";
        const std::pair<const char*, const char*> unset[] = {
                {"memory.max", "max"},     {"memory.high", "max"}, {"memory.swap.max", "max"},
                {"cpu.max", "max 100000"}, {"cpu.idle", "0"},      {"cpuset.cpus", ""}};
        for (const auto& [file, text] : unset) {
                write(inner, file, "1");
                EXPECT_EQ(why_not(inner), std::string(file) + " of its control group is set");
                write(inner, file, text);
                EXPECT_EQ(why_not(inner), "");
        }
        write(kOwn + "/user@1000.service/app.slice", "cpu.weight", "50");
        EXPECT_EQ(why_not(inner), "cpu.weight of its control group is set");
}

// A limit of the whole user holds for its scopes as well.
TEST_F(TheGroups, AreLeftWhateverIsSetForTheUser) {
        write(kOwn, "memory.max", "1000000");
        EXPECT_EQ(why_not(kShell), "");
}

TEST_F(TheGroups, SayWhetherTheyHandOutCpuTime) {
        write(kOwn, "cgroup.controllers", "cpuset cpu memory");
        write(kShell, "cgroup.controllers", "cpuset memory");
        const Groups groups(machine_.root());
        EXPECT_TRUE(groups.hands_out_cpu(kOwn));
        EXPECT_FALSE(groups.hands_out_cpu(kShell));
        EXPECT_FALSE(groups.hands_out_cpu("/none"));
}

TEST_F(TheGroups, SayWhetherTheyAreIdle) {
        write(kOwn, "cpu.idle", "1");
        write(kShell, "cpu.idle", "0");
        const Groups groups(machine_.root());
        EXPECT_EQ(groups.is_idle(kOwn), true);
        EXPECT_EQ(groups.is_idle(kShell), false);
        EXPECT_EQ(groups.is_idle("/none"), std::nullopt);
        groups.end_idle(kOwn);
        EXPECT_EQ(groups.is_idle(kOwn), false);
}

TEST_F(TheGroups, OfVersionOneAreLeftNowhere) {
        machine_.write("proc/self/mountinfo",
                       "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
        EXPECT_EQ(why_not(kShell), "there are no control groups of version 2");
}

}  // namespace
}  // namespace ctl::outside
