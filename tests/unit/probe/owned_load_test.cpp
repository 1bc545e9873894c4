// SPDX-License-Identifier: MIT
// The owners of the time of ungoverned processes, and the cost of finding them.
#include "probe/owned_load.hpp"

#include <gtest/gtest.h>
#include <sched.h>

namespace governor::probe {
namespace {

struct Process {
        std::uint32_t pid;
        std::uint64_t user;
        std::uint64_t system = 0;
        int nice = 0;
        unsigned policy = SCHED_OTHER;
        std::uint64_t started = 1;
};

class OwnedLoadTest : public ::testing::Test {
protected:
        void scan(const std::vector<Process>& rows,
                  const std::vector<std::uint32_t>& holders = {}) {
                std::vector<PidStat> processes;
                for (const auto& row : rows) {
                        PidStat process;
                        process.pid = row.pid;
                        process.ppid = 1;
                        process.user_ticks = row.user;
                        process.system_ticks = row.system;
                        process.nice = row.nice;
                        process.scheduling_policy = row.policy;
                        process.started_ticks = row.started;
                        processes.push_back(process);
                }
                std::vector<Descendants::Holder> since;
                for (const auto pid : holders)
                        since.push_back({pid});
                descendants_.add(processes, since);
                asked_.clear();
                load_.add(processes, descendants_.growth(), [this](std::uint32_t pid) {
                        asked_.push_back(pid);
                        const auto owner = owners_.find(pid);
                        return owner != owners_.end() ? std::optional(owner->second) : std::nullopt;
                });
        }
        [[nodiscard]] double ticks(std::uint32_t uid) const {
                const auto used = load_.by_owner().find(uid);
                return used != load_.by_owner().end() ? used->second.ticks : 0;
        }

        Descendants descendants_;
        OwnedLoad load_;
        std::map<std::uint32_t, std::uint32_t> owners_;
        std::vector<std::uint32_t> asked_;
};

TEST_F(OwnedLoadTest, IsWhatProcessesUsedBetweenTwoScansByOwner) {
        owners_ = {{7, 1000}, {8, 1000}, {9, 1001}};
        scan({{7, 500, 5}, {8, 100}, {9, 50}, {10, 1}});
        EXPECT_TRUE(load_.by_owner().empty());
        scan({{7, 530, 7}, {8, 190}, {9, 51}, {10, 99}});
        EXPECT_EQ(ticks(1000), 122);
        EXPECT_EQ(ticks(1001), 1);
        EXPECT_EQ(load_.by_owner().size(), 2U) << "nobody knows whose the last one is";
}

TEST_F(OwnedLoadTest, IsNotWhatLeaseHoldersAndIdleThreadsUse) {
        owners_ = {{7, 1000}, {8, 1000}};
        scan({{7, 500}, {8, 100, 0, 0, SCHED_IDLE}}, {7});
        scan({{7, 600}, {8, 200, 0, 0, SCHED_IDLE}}, {7});
        EXPECT_TRUE(load_.by_owner().empty());
        EXPECT_TRUE(asked_.empty());
}

TEST_F(OwnedLoadTest, CountsNicedTimeByTheKernelsWeights) {
        EXPECT_DOUBLE_EQ(niced_part(5), 335.0 / 1359);
        EXPECT_DOUBLE_EQ(niced_part(19), 15.0 / 1039);
        owners_ = {{7, 1000}};
        scan({{7, 0, 0, 5}, {8, 0, 0, 19}});
        scan({{7, 100, 10, 5}, {8, 100, 0, 19}});
        EXPECT_EQ(ticks(1000), 10) << "the nice column does not have system time";
        EXPECT_DOUBLE_EQ(load_.by_owner().at(1000).niced, 100 * niced_part(5));
        EXPECT_DOUBLE_EQ(load_.niced_part(), (niced_part(5) + niced_part(19)) / 2);
}

TEST_F(OwnedLoadTest, AsksAgainOnceInAWhileOrWhenAProcessIsAnotherOne) {
        owners_ = {{7, 0}};
        std::uint64_t ticks_used = 0;
        scan({{7, 0}});
        scan({{7, ++ticks_used}});
        EXPECT_EQ(asked_, std::vector<std::uint32_t>{7});
        owners_ = {{7, 1000}};
        std::size_t times = 0;
        for (std::uint32_t i = 0; i < OwnedLoad::kTurns; i++) {
                scan({{7, ++ticks_used}});
                times += asked_.size();
        }
        EXPECT_EQ(times, 1U);
        EXPECT_EQ(ticks(1000), 1);
        scan({{7, 5, 0, 0, SCHED_OTHER, 99}});
        EXPECT_EQ(asked_, std::vector<std::uint32_t>{7});
}

TEST_F(OwnedLoadTest, AsksForThoseThatRunMostWhereThousandsOfProcessesRun) {
        std::vector<Process> rows;
        for (std::uint32_t pid = 10; pid < 3000; pid++) {
                owners_[pid] = 1000 + pid % 2;
                rows.push_back({pid, 0});
        }
        scan(rows);
        for (auto& row : rows)
                row.user += row.pid == 2000 ? 90 : 1;
        scan(rows);
        EXPECT_EQ(asked_.size(), OwnedLoad::kMostAsked);
        EXPECT_EQ(asked_.front(), 2000U);
        EXPECT_GE(ticks(1000), 90);
        EXPECT_LT(ticks(1000) + ticks(1001), 90 + OwnedLoad::kMostAsked);
        for (auto& row : rows)
                row.user += 1;
        scan(rows);
        EXPECT_EQ(asked_.size(), OwnedLoad::kMostAsked);
        EXPECT_GT(ticks(1000) + ticks(1001), OwnedLoad::kMostAsked) << "the others are known";
}

}  // namespace
}  // namespace governor::probe
