// SPDX-License-Identifier: MIT
// SCHED_IDLE processes and idle control groups, each counted once.
#include "probe/yielding_load.hpp"

#include "support/fake_machine.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <sched.h>

namespace governor::probe {
namespace {

using std::chrono::milliseconds;
using test_support::FakeMachine;

constexpr std::uint64_t kTicksPerSecond = 100;
constexpr milliseconds kTick{10};

struct Row {
        std::uint32_t pid;
        std::uint64_t user;
        std::uint64_t system = 0;
        int nice = 0;
        unsigned policy = SCHED_IDLE;
        std::uint32_t ppid = 1;
};

class YieldingLoadTest : public ::testing::Test {
protected:
        YieldingLoadTest() { machine_.mount_v2(); }

        /// Usage of a group, in milliseconds; -1: it has no cpu.idle.
        void group(const std::string& path, int idle, int usage_ms) {
                const auto at = "sys/fs/cgroup" + path;
                if (idle >= 0)
                        machine_.write(at + "/cpu.idle", std::to_string(idle) + "\n");
                machine_.write(at + "/cpu.stat",
                               "usage_usec " + std::to_string(usage_ms * 1000) + "\n");
        }
        milliseconds scan(const std::vector<Row>& rows,
                          const std::vector<std::uint32_t>& holders = {}) {
                std::vector<PidStat> processes;
                for (const auto& row : rows) {
                        PidStat process;
                        process.pid = row.pid;
                        process.ppid = row.ppid;
                        process.user_ticks = row.user;
                        process.system_ticks = row.system;
                        process.nice = row.nice;
                        process.scheduling_policy = row.policy;
                        process.started_ticks = 1;
                        processes.push_back(process);
                }
                std::vector<Descendants::Holder> since;
                for (const auto pid : holders)
                        since.push_back({pid});
                descendants_.add(processes, since);
                if (!load_) {
                        cgroups_.emplace(machine_.root());
                        load_.emplace(*cgroups_, kTicksPerSecond);
                }
                now_ += milliseconds{1000};
                load_->add(processes, descendants_.growth(), now_);
                return std::chrono::duration_cast<milliseconds>(load_->total());
        }

        FakeMachine machine_;
        Descendants descendants_;
        std::optional<Cgroups> cgroups_;
        std::optional<YieldingLoad> load_;
        TimePoint now_{std::chrono::hours{1}};
};

TEST_F(YieldingLoadTest, IsTheTimeOfIdleProcessesSinceTheFirstScan) {
        EXPECT_EQ(scan({{7, 500, 5}, {8, 100, 0, 0, SCHED_OTHER}}), milliseconds{0});
        EXPECT_EQ(scan({{7, 530, 7}, {8, 190, 0, 0, SCHED_OTHER}}), 32 * kTick);
        EXPECT_EQ(scan({{8, 200, 0, 0, SCHED_OTHER}}), 32 * kTick);
}

TEST_F(YieldingLoadTest, DoesNotCountWhatTheNiceColumnHasAlready) {
        scan({{7, 500, 5, 19}});
        EXPECT_EQ(scan({{7, 600, 8, 19}}), 3 * kTick);
}

TEST_F(YieldingLoadTest, DoesNotCountLeaseHoldersAndTheirDescendants) {
        scan({{7, 500}, {8, 50, 0, 0, SCHED_IDLE, 7}}, {7});
        EXPECT_EQ(scan({{7, 600}, {8, 90, 0, 0, SCHED_IDLE, 7}}, {7}), milliseconds{0});
}

TEST_F(YieldingLoadTest, IsTheUsageOfTheHighestIdleGroups) {
        group("", -1, 90'000);
        group("/a", 0, 5000);
        group("/a/idle", 1, 1000);
        group("/a/idle/inner", 1, 700);
        group("/b", 1, 300);
        EXPECT_EQ(scan({}), milliseconds{0});
        group("/a", 0, 9000);
        group("/a/idle", 1, 1040);
        group("/a/idle/inner", 1, 740);
        group("/b", 1, 302);
        EXPECT_EQ(scan({}), milliseconds{42});
}

TEST_F(YieldingLoadTest, CountsAnIdleProcessInAnIdleGroupOnce) {
        group("/a", 1, 1000);
        machine_.membership(7, "0::/a/inner\n");
        machine_.membership(8, "0::/b\n");
        scan({{7, 50}, {8, 20}});
        group("/a", 1, 1400);
        EXPECT_EQ(scan({{7, 90}, {8, 25}}), milliseconds{400} + 5 * kTick);
}

TEST_F(YieldingLoadTest, LeavesHoldersAndNicedTimeOutOfAnIdleGroup) {
        group("/a", 1, 1000);
        for (const auto pid : {7U, 8U, 9U})
                machine_.membership(pid, "0::/a\n");
        scan({{7, 50, 0, 0, SCHED_OTHER}, {8, 20, 0, 5, SCHED_OTHER}, {9, 1, 1, 0, SCHED_OTHER}},
             {7});
        group("/a", 1, 1700);
        EXPECT_EQ(scan({{7, 80, 0, 0, SCHED_OTHER},
                        {8, 40, 3, 5, SCHED_OTHER},
                        {9, 11, 8, 0, SCHED_OTHER}},
                       {7}),
                  milliseconds{200});
}

TEST_F(YieldingLoadTest, AsksForTheGroupsOfALimitedNumberOfProcessesThatRunMost) {
        group("/a", 1, 1000);
        std::vector<Row> rows;
        for (std::uint32_t pid = 7; rows.size() < YieldingLoad::kMostAsked + 5; pid++) {
                machine_.membership(pid, "0::/a\n");
                rows.push_back({pid, 0});
        }
        scan(rows);
        for (auto& row : rows)
                row.user = 1;
        rows.back().user = 100;
        group("/a", 1, 2000);
        EXPECT_EQ(scan(rows), milliseconds{1000} + 5 * kTick)
                << "the last one is not counted twice";
}

TEST_F(YieldingLoadTest, NeverGoesBackwards) {
        group("/a", 1, 1000);
        machine_.membership(7, "0::/a\n");
        scan({{7, 0, 0, 0, SCHED_OTHER}}, {7});
        group("/a", 1, 1100);
        EXPECT_EQ(scan({{7, 9, 0, 0, SCHED_OTHER}}, {7}), kTick);
        EXPECT_EQ(scan({{7, 12, 0, 0, SCHED_OTHER}}, {7}), kTick);  // files of two moments
        group("/a", 1, 1150);
        EXPECT_EQ(scan({{7, 12, 0, 0, SCHED_OTHER}}, {7}), 3 * kTick);
        group("/a", 1, 0);  // removed and made again
        EXPECT_EQ(scan({{7, 12, 0, 0, SCHED_OTHER}}, {7}), 3 * kTick);
}

TEST_F(YieldingLoadTest, FindsNewIdleGroupsWithinItsTime) {
        scan({});
        group("/late", 1, 5000);
        for (int seconds = 1; seconds <= YieldingLoad::kLookAround.count(); seconds++)
                EXPECT_EQ(scan({}), milliseconds{0});
        group("/late", 1, 5040);
        EXPECT_EQ(scan({}), milliseconds{40});
        group("/late", 0, 5040);
        for (int seconds = 1; seconds <= YieldingLoad::kLookAround.count(); seconds++)
                scan({});
        group("/late", 0, 6000);
        EXPECT_EQ(scan({}), milliseconds{40});
}

TEST_F(YieldingLoadTest, ReadsVersionOneWhereCpuAndCpuacctAreTogether) {
        machine_.mount_hybrid();
        const std::string at = "sys/fs/cgroup/cpu,cpuacct/a/";
        machine_.write(at + "cpu.idle", "1\n");
        machine_.write(at + "cpuacct.usage", "1000000000\n");
        scan({});
        machine_.write(at + "cpuacct.usage", "1500000000\n");
        EXPECT_EQ(scan({}), milliseconds{500});
}

TEST_F(YieldingLoadTest, WatchesALimitedNumberOfGroupsTheHighestFirst) {
        for (std::size_t i = 0; i < Cgroups::kMostIdleGroups + 50; i++)
                group("/user/many" + std::to_string(i), 1, 0);
        group("/admin", 1, 1000);
        const auto groups = Cgroups(machine_.root()).idle_groups();
        ASSERT_EQ(groups.size(), Cgroups::kMostIdleGroups);
        EXPECT_EQ(groups.front(), "/admin");
}

// Each folder costs time, and any user that has a group of its own may make a million in it.
TEST_F(YieldingLoadTest, ReadsOnNoFurtherThanToTheLastGroupThatItLooksAt) {
        const auto top = std::filesystem::path(machine_.root()) / "sys/fs/cgroup";
        constexpr std::size_t kMost = 20;
        for (std::size_t i = 0; i < kMost + 30; i++)
                std::filesystem::create_directories(top / ("many" + std::to_string(i)) / "below");
        Cgroups cgroups(machine_.root());
        EXPECT_TRUE(cgroups.idle_groups(kMost).empty());
        EXPECT_LE(cgroups.entries_read(), kMost);
}

TEST_F(YieldingLoadTest, LooksForGroupsAsDeepAsItLooksAtThoseOfProcesses) {
        std::string path;
        for (std::size_t level = 1; level < kMostLevels; level++)
                path += "/g";
        group(path + "/deepest", 1, 0);
        group(path + "/g/deeper", 1, 0);
        EXPECT_EQ(Cgroups(machine_.root()).idle_groups(),
                  (std::vector<std::string>{path + "/deepest"}));
}

TEST_F(YieldingLoadTest, StartsAtThePartOfTheTreeThatIsMounted) {
        machine_.write("proc/self/mountinfo",
                       "29 23 0:26 /docker/1 /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
        group("/a", 1, 1000);
        scan({});
        group("/a", 1, 1040);
        EXPECT_EQ(scan({}), milliseconds{40});
}

}  // namespace
}  // namespace governor::probe
