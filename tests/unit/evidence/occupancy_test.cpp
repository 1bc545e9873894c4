// SPDX-License-Identifier: MIT
// Grants, regions and what is between them.
#include "evidence/occupancy.hpp"
#include "start.hpp"

#include <gtest/gtest.h>
#include <utility>

namespace governor::evidence {
namespace {

using namespace std::chrono_literals;
using policy::CpuMask;
using policy::fair::ProgramId;

policy::fair::Grant grant_of(ProgramId id, const CpuMask& cpus) {
        policy::fair::Grant grant;
        grant.id = id;
        grant.threads = cpus.count();
        grant.cpus = cpus;
        return grant;
}

constexpr std::uint32_t kMost = 64;

class OccupancyTest : public ::testing::Test {
protected:
        bool grant(std::uint32_t first, std::uint32_t count) {
                return occupancy_.grant(grant_of(ProgramId{1}, CpuMask::range(first, count)), now_);
        }
        /// It is in a region, of which it has begun another unless it goes by the same grant.
        Occupancy::Effect region(std::uint64_t epoch, std::uint32_t team) {
                if (std::exchange(epoch_, epoch) != epoch)
                        regions_++;
                return occupancy_.report({epoch, team, true, regions_}, kMost, now_);
        }
        Occupancy::Effect outside() {
                return occupancy_.report({0, 0, false, regions_}, kMost, now_);
        }

        Occupancy occupancy_;
        std::uint64_t epoch_ = 0;
        std::uint64_t regions_ = 0;
        TimePoint now_ = kStart;
};

TEST_F(OccupancyTest, HoldsNothingAtFirst) {
        EXPECT_EQ(occupancy_.held(), nullptr);
        EXPECT_EQ(occupancy_.knows_of(), 0U);
        (void)region(7, 12);
        EXPECT_FALSE(occupancy_.above_since()) << "above nothing";
}

TEST_F(OccupancyTest, CountsGrantsThatDiffer) {
        EXPECT_TRUE(grant(0, 8));
        EXPECT_EQ(occupancy_.held()->epoch, 1U);
        now_ += 1s;
        EXPECT_FALSE(grant(0, 8));
        EXPECT_EQ(occupancy_.held()->epoch, 1U);
        EXPECT_EQ(occupancy_.held()->since, kStart);
        EXPECT_TRUE(grant(8, 8)) << "as many, but others";
        EXPECT_EQ(occupancy_.held()->epoch, 2U);
        EXPECT_EQ(occupancy_.held()->since, now_);
}

TEST_F(OccupancyTest, IsInTheWayOfTheOwnerOfACpuThatItOnlyShares) {
        (void)grant(0, 1);
        (void)region(1, 1);
        EXPECT_FALSE(occupancy_.is_in_the_way());
        auto shared = grant_of(ProgramId{1}, CpuMask::range(0, 1));
        shared.shared = true;
        (void)occupancy_.grant(shared, now_);
        EXPECT_TRUE(occupancy_.is_in_the_way());
        EXPECT_FALSE(region(1, 1).gave_back);
        EXPECT_FALSE(occupancy_.above_since()) << "it has the thread that it was granted";
        EXPECT_EQ(occupancy_.lingers_since(), now_);
        EXPECT_TRUE(outside().gave_back);
        EXPECT_FALSE(occupancy_.is_in_the_way());
        EXPECT_FALSE(region(2, 1).gave_back);
        EXPECT_FALSE(occupancy_.is_in_the_way()) << "it never had it for itself";
}

TEST_F(OccupancyTest, KeepsTheNewestReasonOfTheSameGrant) {
        auto first = grant_of(ProgramId{1}, CpuMask::range(0, 4));
        (void)occupancy_.grant(first, now_);
        first.reason.limit = policy::fair::Limit::OwnMax;
        EXPECT_FALSE(occupancy_.grant(first, now_));
        EXPECT_EQ(occupancy_.held()->grant.reason.limit, policy::fair::Limit::OwnMax);
}

TEST_F(OccupancyTest, WhatIsTakenInARegionLingersUntilTheNextRegion) {
        grant(0, 8);
        region(1, 8);
        EXPECT_FALSE(occupancy_.above_since());
        now_ += 5s;
        grant(0, 4);
        EXPECT_EQ(occupancy_.lingering(), CpuMask::range(4, 4));
        EXPECT_EQ(occupancy_.above_since(), now_);
        const auto same = region(1, 8);
        EXPECT_FALSE(same.gave_back);
        EXPECT_FALSE(same.began);
        now_ += 1s;
        const auto next = region(2, 4);
        EXPECT_TRUE(next.gave_back);
        EXPECT_TRUE(next.began);
        EXPECT_TRUE(occupancy_.lingering().empty());
        EXPECT_FALSE(occupancy_.above_since());
}

TEST_F(OccupancyTest, WhatIsTakenInARegionIsGivenBackAtItsEnd) {
        grant(0, 8);
        region(1, 8);
        grant(0, 4);
        const auto effect = outside();
        EXPECT_TRUE(effect.gave_back);
        EXPECT_FALSE(effect.began);
        EXPECT_FALSE(occupancy_.above_since());
}

TEST_F(OccupancyTest, OutsideOfRegionsNothingLingers) {
        grant(0, 8);
        outside();
        grant(0, 4);
        EXPECT_TRUE(occupancy_.lingering().empty());
        EXPECT_FALSE(occupancy_.above_since());
}

TEST_F(OccupancyTest, ARegionThatBeganJustBeforeTheShrinkIsFoundOutLater) {
        grant(0, 8);
        outside();
        grant(0, 4);
        now_ += 10ms;
        region(1, 8);
        EXPECT_EQ(occupancy_.lingering(), CpuMask::range(4, 4));
        EXPECT_EQ(occupancy_.above_since(), now_);
}

TEST_F(OccupancyTest, OnlyTheGrantOfTheRegionLingers) {
        grant(0, 4);
        region(1, 4);
        grant(0, 16);
        grant(8, 2);
        EXPECT_EQ(occupancy_.lingering(), CpuMask::range(0, 4)) << "it never ran on 16";
}

TEST_F(OccupancyTest, WhatIsGrantedAgainDoesNotLinger) {
        grant(0, 8);
        region(1, 8);
        grant(0, 4);
        grant(0, 6);
        EXPECT_EQ(occupancy_.lingering(), CpuMask::range(6, 2));
        grant(0, 8);
        EXPECT_TRUE(occupancy_.lingering().empty());
        EXPECT_FALSE(occupancy_.above_since());
}

TEST_F(OccupancyTest, WhatLingersIsBoundedHoweverManyGrantsARegionOutlives) {
        grant(0, 8);
        region(1, 8);
        for (std::uint32_t i = 0; i < 100; i++)
                grant(i % 8, 1);
        EXPECT_EQ(occupancy_.lingering().count(), 7U);
        EXPECT_FALSE(occupancy_.lingering().intersects(occupancy_.held()->grant.cpus));
}

TEST_F(OccupancyTest, ACpuThatIsSharedDoesNotLinger) {
        auto shared = grant_of(ProgramId{1}, CpuMask::range(0, 1));
        shared.shared = true;
        (void)occupancy_.grant(shared, now_);
        region(1, 1);
        grant(4, 1);
        EXPECT_TRUE(occupancy_.lingering().empty());
}

TEST_F(OccupancyTest, WhoNeverReportsCountsAsOutside) {
        grant(0, 8);
        grant(0, 4);
        EXPECT_TRUE(occupancy_.lingering().empty());
        EXPECT_FALSE(occupancy_.above_since());
}

TEST_F(OccupancyTest, ALargerTeamThanGrantedIsAbove) {
        grant(0, 4);
        region(1, 12);
        EXPECT_EQ(occupancy_.above_since(), now_);
        now_ += 1s;
        region(1, 12);
        EXPECT_EQ(occupancy_.above_since(), now_ - 1s);
        occupancy_.report({1, 12, false}, kMost, now_);
        EXPECT_FALSE(occupancy_.above_since()) << "a team outside of a region is none";
}

TEST_F(OccupancyTest, BurningMoreThanIsAllowedIsAboveSinceTheWindowBegan) {
        grant(0, 4);
        occupancy_.burned(4, 0, now_, now_ + 1s);
        EXPECT_FALSE(occupancy_.above_since());
        occupancy_.burned(5, 1, now_ + 1s, now_ + 2s);
        EXPECT_EQ(occupancy_.above_since(), now_ + 1s);
        EXPECT_EQ(occupancy_.burning(), 5U);
        occupancy_.burned(5, 1, now_ + 2s, now_ + 3s);
        EXPECT_EQ(occupancy_.above_since(), now_ + 1s);
        occupancy_.burned(4, 0, now_ + 3s, now_ + 4s);
        EXPECT_FALSE(occupancy_.above_since());
}

TEST_F(OccupancyTest, IsNotAboveAGrantSinceBeforeIt) {
        grant(0, 8);
        now_ += 1s;
        grant(0, 4);
        occupancy_.burned(7, 1, now_ - 500ms, now_ + 500ms);
        EXPECT_EQ(occupancy_.above_since(), now_);
}

TEST_F(OccupancyTest, StaysAboveWhoeverItsGrantIsChangedFor) {
        grant(0, 4);
        occupancy_.burned(8, 4, now_, now_ + 1s);
        now_ += 2s;
        grant(0, 8);
        EXPECT_EQ(occupancy_.above_since(), now_ - 2s) << "until it has kept to one for a while";
        occupancy_.burned(8, 0, now_, now_ + 1s);
        EXPECT_FALSE(occupancy_.above_since());
}

TEST_F(OccupancyTest, WhatLingersIsAllowed) {
        EXPECT_EQ(occupancy_.allowed(now_), 0s);
        grant(0, 8);
        region(1, 8);
        now_ += 1s;
        grant(0, 4);
        now_ += 1s;
        EXPECT_EQ(occupancy_.allowed(now_), 16s);
        region(2, 4);
        EXPECT_EQ(occupancy_.allowed(now_), 16s);
        EXPECT_EQ(occupancy_.allowed(now_ + 1s), 20s);
        EXPECT_EQ(occupancy_.allowed(now_ - 5s), 16s) << "time does not run backwards";
}

TEST_F(OccupancyTest, GoesByTheGrantOfItsRegion) {
        grant(0, 2);
        region(1, 2);
        grant(0, 64);
        EXPECT_EQ(occupancy_.knows_of(), 2U);
        region(2, 64);
        EXPECT_EQ(occupancy_.knows_of(), 64U);
        grant(0, 8);
        EXPECT_EQ(occupancy_.knows_of(), 64U);
        outside();
        EXPECT_EQ(occupancy_.knows_of(), 8U);
}

TEST_F(OccupancyTest, AnEpochOfTheFutureIsAnOldOne) {
        grant(0, 8);
        region(1, 8);
        grant(0, 4);
        region(1'000, 4);
        EXPECT_EQ(occupancy_.lingering(), CpuMask::range(4, 4)) << "not given back by a lie";
        region(~std::uint64_t{0}, ~std::uint32_t{0});
        EXPECT_EQ(occupancy_.lingering(), CpuMask::range(4, 4));
}

TEST_F(OccupancyTest, TheSameRegionOfAnUnknownEpochDoesNotBeginAgain) {
        grant(0, 8);
        EXPECT_TRUE(region(1'000, 4).began);
        EXPECT_FALSE(region(1'000, 4).began);
}

}  // namespace
}  // namespace governor::evidence
