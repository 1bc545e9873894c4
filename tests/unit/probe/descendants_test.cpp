// SPDX-License-Identifier: MIT
// The CPU time of a lease holder's children is counted once, however they end.
#include "probe/descendants.hpp"

#include <gtest/gtest.h>

namespace governor::probe {
namespace {

/// pid, parent, own ticks, ticks of children waited for.
struct Row {
        std::uint32_t pid;
        std::uint32_t ppid;
        std::uint64_t own;
        std::uint64_t reaped = 0;
        std::uint64_t started = 0;  ///< 0: as its pid
};

class DescendantsTest : public ::testing::Test {
protected:
        /// One scan with pid 10 (or others) holding leases.
        std::uint64_t scan(const std::vector<Row>& rows,
                           const std::vector<std::uint32_t>& holders = {10}) {
                std::vector<PidStat> processes;
                for (const auto& row : rows) {
                        PidStat process;
                        process.pid = row.pid;
                        process.ppid = row.ppid;
                        process.user_ticks = row.own - row.own / 3;
                        process.system_ticks = row.own / 3;
                        process.reaped_ticks = row.reaped;
                        process.started_ticks = row.started != 0 ? row.started : row.pid;
                        processes.push_back(process);
                }
                std::vector<Descendants::Holder> since;
                for (const auto pid : holders)
                        since.push_back({pid, since_});
                descendants_.add(processes, since);
                return descendants_.ticks(10);
        }

        std::uint64_t since_ = std::numeric_limits<std::uint64_t>::max();
        Descendants descendants_;
};

TEST_F(DescendantsTest, DoNotIncludeTheHolderNorWhatWasBefore) {
        EXPECT_EQ(scan({{1, 0, 50}, {10, 1, 100, 5000}, {11, 10, 700}}), 0U);
        EXPECT_EQ(scan({{1, 0, 60}, {10, 1, 200, 5000}, {11, 10, 700}}), 0U);
}

/// A tree has burned all CPUs for most of a second when it is first looked at. It would take its
/// own share away if it counted as foreign load.
TEST_F(DescendantsTest, CountFromTheirBeginWhereTheHolderHeldItsLeaseByThen) {
        since_ = 12;
        EXPECT_EQ(scan({{10, 1, 100}, {11, 10, 700}, {12, 10, 30, 4}, {13, 11, 5}}), 39U);
        EXPECT_EQ(descendants_.growth()[2].user_ticks, 20U);
        EXPECT_EQ(scan({{10, 1, 100}, {11, 10, 701}, {12, 10, 31, 4}, {13, 11, 5}}), 41U);
}

TEST_F(DescendantsTest, CountFromTheirBeginAlsoAtALaterScan) {
        since_ = 12;
        scan({{1, 0, 50}, {9, 1, 3}}, {9});
        EXPECT_EQ(scan({{1, 0, 60}, {9, 1, 3}, {10, 1, 7, 0, 11}, {13, 10, 30}}, {9, 10}), 30U);
}

TEST_F(DescendantsTest, CountAsTheyGrow) {
        scan({{10, 1, 100}, {11, 10, 700}, {12, 11, 30}});
        EXPECT_EQ(scan({{10, 1, 100}, {11, 10, 710}, {12, 11, 35}}), 15U);
        EXPECT_EQ(scan({{10, 1, 100}, {11, 10, 710}, {12, 11, 36}}), 16U);
        EXPECT_EQ(descendants_.ticks(11), 0U);
}

TEST_F(DescendantsTest, CountWholeWhenTheyBeganSinceTheLastScan) {
        scan({{10, 1, 100}});
        EXPECT_EQ(scan({{10, 1, 100}, {11, 10, 40}, {12, 11, 2}}), 42U);
}

TEST_F(DescendantsTest, CountOnceWhenTheyEndAndAreWaitedFor) {
        scan({{10, 1, 100}});
        EXPECT_EQ(scan({{10, 1, 100}, {11, 10, 40}}), 40U);
        EXPECT_EQ(scan({{10, 1, 100, 45}}), 45U);
        EXPECT_EQ(scan({{10, 1, 100, 45}}), 45U);
}

TEST_F(DescendantsTest, CountWhenTheyBeginAndEndBetweenTwoScans) {
        scan({{10, 1, 100}});
        EXPECT_EQ(scan({{10, 1, 100, 80}}), 80U);
}

TEST_F(DescendantsTest, CountOnceAsZombies) {
        scan({{10, 1, 100}});
        EXPECT_EQ(scan({{10, 1, 100}, {11, 10, 40}}), 40U);
        EXPECT_EQ(scan({{10, 1, 100}, {11, 10, 44}}), 44U);
        EXPECT_EQ(scan({{10, 1, 100, 44}}), 44U);
}

TEST_F(DescendantsTest, CountOnceWhenTheParentWasReadBeforeItWaited) {
        scan({{10, 1, 100}});
        EXPECT_EQ(scan({{10, 1, 100}, {11, 10, 40}}), 40U);
        EXPECT_EQ(scan({{10, 1, 100}}), 40U);
        EXPECT_EQ(scan({{10, 1, 100, 47}}), 47U);
        EXPECT_EQ(scan({{10, 1, 100, 147}}), 147U);
}

TEST_F(DescendantsTest, CountOnceWhenParentAndChildEndTogether) {
        scan({{10, 1, 100}});
        EXPECT_EQ(scan({{10, 1, 100}, {11, 10, 40}, {12, 11, 9}, {13, 12, 1}}), 50U);
        EXPECT_EQ(scan({{10, 1, 100, 53}}), 53U);
}

TEST_F(DescendantsTest, CountOnceWhenTheMiddleOneEndsLater) {
        scan({{10, 1, 100}});
        EXPECT_EQ(scan({{10, 1, 100}, {11, 10, 40}, {12, 11, 9}}), 49U);
        EXPECT_EQ(scan({{10, 1, 100}, {11, 10, 40}}), 49U);  // 11 was read before it waited
        EXPECT_EQ(scan({{10, 1, 100, 50}}), 50U);            // 40 + 9 + 1 that was missed
}

TEST_F(DescendantsTest, NeverGoBackwardsWhenNobodyWaits) {
        scan({{10, 1, 100}});
        EXPECT_EQ(scan({{10, 1, 100}, {11, 10, 40}}), 40U);
        EXPECT_EQ(scan({{10, 1, 100}}), 40U);
        EXPECT_EQ(scan({{10, 1, 100}}), 40U);
        // The credit does not hide what comes much later.
        EXPECT_EQ(scan({{10, 1, 100, 30}}), 70U);
}

TEST_F(DescendantsTest, DoNotIncludeOrphansThatOthersAdopt) {
        scan({{1, 0, 5}, {10, 1, 100}});
        EXPECT_EQ(scan({{1, 0, 5}, {10, 1, 100}, {11, 10, 40}, {12, 11, 9}}), 49U);
        EXPECT_EQ(scan({{1, 0, 5}, {10, 1, 100, 40}, {12, 1, 90}}), 49U);
}

TEST_F(DescendantsTest, DoNotIncludeThoseWithALeaseOfTheirOwn) {
        scan({{10, 1, 100}, {11, 10, 40}, {12, 11, 9}}, {10, 11});
        EXPECT_EQ(scan({{10, 1, 100}, {11, 10, 90}, {12, 11, 29}}, {10, 11}), 0U);
        EXPECT_EQ(descendants_.ticks(11), 20U);
        // Its past does not come down on its parent when it ends, but for what nobody has seen.
        EXPECT_EQ(scan({{10, 1, 100, 122}}, {10, 11}), 3U);
        EXPECT_EQ(descendants_.ticks(11), 20U);
        EXPECT_EQ(scan({{10, 1, 100, 122}}), 3U);
        EXPECT_EQ(descendants_.ticks(11), 0U);
}

TEST_F(DescendantsTest, FollowALeaseThatComesAndGoes) {
        scan({{10, 1, 100}, {11, 10, 40}});
        EXPECT_EQ(scan({{10, 1, 100}, {11, 10, 50}}, {10, 11}), 0U);
        EXPECT_EQ(scan({{10, 1, 100}, {11, 10, 60}}, {10, 11}), 0U);
        EXPECT_EQ(scan({{10, 1, 100}, {11, 10, 75}}), 15U);
}

TEST_F(DescendantsTest, AreNotMixedUpWhenAPidComesAgain) {
        scan({{10, 1, 100}, {11, 10, 40}});
        EXPECT_EQ(scan({{10, 1, 100, 43}, {11, 10, 8, 0, 500}}), 11U);
        // A holder whose pid comes again begins anew.
        EXPECT_EQ(scan({{10, 1, 1, 0, 600}, {12, 10, 7, 0, 601}}), 0U);
        EXPECT_EQ(scan({{10, 1, 1, 0, 600}, {12, 10, 9, 0, 601}}), 2U);
}

TEST_F(DescendantsTest, DoNotBringAHistoryThatWasHidden) {
        scan({{10, 1, 100}, {12, 10, 1}});
        EXPECT_EQ(scan({{10, 1, 100}, {11, 10, 4000, 300}, {12, 10, 1}}), 0U);
        EXPECT_EQ(scan({{10, 1, 100}, {11, 10, 4001, 302}, {12, 10, 1}}), 3U);
}

TEST_F(DescendantsTest, StayWhileTheHolderCannotBeSeen) {
        scan({{10, 1, 100}, {11, 10, 40}, {12, 1, 1}});
        EXPECT_EQ(scan({{10, 1, 100}, {11, 10, 50}, {12, 1, 1}}), 10U);
        EXPECT_EQ(scan({{12, 1, 1}}), 10U);
        EXPECT_EQ(scan({{10, 1, 100}, {11, 10, 70}, {12, 1, 1}}), 10U);
        EXPECT_EQ(scan({{10, 1, 100}, {11, 10, 71}, {12, 1, 1}}), 11U);
}

TEST_F(DescendantsTest, SurvivePidsThatFormARing) {
        scan({{10, 12, 1}, {11, 10, 1}, {12, 11, 1}, {13, 13, 1}});
        EXPECT_EQ(scan({{10, 12, 2}, {11, 10, 3}, {12, 11, 5}, {13, 13, 9}}), 6U);
}

TEST_F(DescendantsTest, SayWhatEachProcessUsedAndWhoseItWas) {
        scan({{1, 0, 9}, {10, 1, 90}, {11, 10, 9}});
        scan({{1, 0, 12}, {10, 1, 96}, {11, 10, 9}});
        ASSERT_EQ(descendants_.growth().size(), 3U);
        EXPECT_EQ(descendants_.growth()[0].holder, 0U);
        EXPECT_EQ(descendants_.growth()[0].user_ticks, 2U);
        EXPECT_EQ(descendants_.growth()[0].system_ticks, 1U);
        EXPECT_EQ(descendants_.growth()[1].holder, 10U);
        EXPECT_EQ(descendants_.growth()[1].user_ticks, 4U);
        EXPECT_EQ(descendants_.growth()[2].holder, 10U);
        EXPECT_EQ(descendants_.growth()[2].user_ticks, 0U);
}

}  // namespace
}  // namespace governor::probe
