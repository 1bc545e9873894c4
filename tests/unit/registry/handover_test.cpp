// SPDX-License-Identifier: MIT
// Grants, regions and what is between them.
#include "registry/handover.hpp"

#include "registry/programs.hpp"

#include <gtest/gtest.h>
#include <utility>

namespace governor::registry {
namespace {

using namespace std::chrono_literals;
using policy::CpuMask;

constexpr std::uint32_t kMost = 64;

class HandoverTest : public ::testing::Test {
protected:
        bool grant(std::uint32_t first, std::uint32_t count) {
                return handover_.grant(grant_of(ClientId{1}, CpuMask::range(first, count)), now_);
        }
        /// It is in a region, of which it has begun another unless it goes by the same grant.
        Handover::Effect region(std::uint64_t epoch, std::uint32_t team) {
                if (std::exchange(epoch_, epoch) != epoch)
                        regions_++;
                return handover_.report({epoch, team, true, regions_}, kMost, now_);
        }
        Handover::Effect outside() {
                return handover_.report({0, 0, false, regions_}, kMost, now_);
        }

        Handover handover_;
        std::uint64_t epoch_ = 0;
        std::uint64_t regions_ = 0;
        TimePoint now_ = kStart;
};

TEST_F(HandoverTest, HoldsNothingAtFirst) {
        EXPECT_EQ(handover_.held(), nullptr);
        EXPECT_EQ(handover_.knows_of(), 0U);
        (void)region(7, 12);
        EXPECT_FALSE(handover_.above_since()) << "above nothing";
}

TEST_F(HandoverTest, CountsGrantsThatDiffer) {
        EXPECT_TRUE(grant(0, 8));
        EXPECT_EQ(handover_.held()->epoch, 1U);
        now_ += 1s;
        EXPECT_FALSE(grant(0, 8));
        EXPECT_EQ(handover_.held()->epoch, 1U);
        EXPECT_EQ(handover_.held()->since, kStart);
        EXPECT_TRUE(grant(8, 8)) << "as many, but others";
        EXPECT_EQ(handover_.held()->epoch, 2U);
        EXPECT_EQ(handover_.held()->since, now_);
}

TEST_F(HandoverTest, KeepsTheNewestReasonOfTheSameGrant) {
        auto first = grant_of(ClientId{1}, CpuMask::range(0, 4));
        (void)handover_.grant(first, now_);
        first.reason.limit = policy::fair::Limit::OwnMax;
        EXPECT_FALSE(handover_.grant(first, now_));
        EXPECT_EQ(handover_.held()->grant.reason.limit, policy::fair::Limit::OwnMax);
}

TEST_F(HandoverTest, WhatIsTakenInARegionLingersUntilTheNextRegion) {
        grant(0, 8);
        region(1, 8);
        EXPECT_FALSE(handover_.above_since());
        now_ += 5s;
        grant(0, 4);
        EXPECT_EQ(handover_.lingering(), CpuMask::range(4, 4));
        EXPECT_EQ(handover_.above_since(), now_);
        const auto same = region(1, 8);
        EXPECT_FALSE(same.gave_back);
        EXPECT_FALSE(same.began);
        now_ += 1s;
        const auto next = region(2, 4);
        EXPECT_TRUE(next.gave_back);
        EXPECT_TRUE(next.began);
        EXPECT_TRUE(handover_.lingering().empty());
        EXPECT_FALSE(handover_.above_since());
}

TEST_F(HandoverTest, WhatIsTakenInARegionIsGivenBackAtItsEnd) {
        grant(0, 8);
        region(1, 8);
        grant(0, 4);
        const auto effect = outside();
        EXPECT_TRUE(effect.gave_back);
        EXPECT_FALSE(effect.began);
        EXPECT_FALSE(handover_.above_since());
}

TEST_F(HandoverTest, OutsideOfRegionsNothingLingers) {
        grant(0, 8);
        outside();
        grant(0, 4);
        EXPECT_TRUE(handover_.lingering().empty());
        EXPECT_FALSE(handover_.above_since());
}

TEST_F(HandoverTest, ARegionThatBeganJustBeforeTheShrinkIsFoundOutLater) {
        grant(0, 8);
        outside();
        grant(0, 4);
        now_ += 10ms;
        region(1, 8);
        EXPECT_EQ(handover_.lingering(), CpuMask::range(4, 4));
        EXPECT_EQ(handover_.above_since(), now_);
}

TEST_F(HandoverTest, OnlyTheGrantOfTheRegionLingers) {
        grant(0, 4);
        region(1, 4);
        grant(0, 16);
        grant(8, 2);
        EXPECT_EQ(handover_.lingering(), CpuMask::range(0, 4)) << "it never ran on 16";
}

TEST_F(HandoverTest, WhatIsGrantedAgainDoesNotLinger) {
        grant(0, 8);
        region(1, 8);
        grant(0, 4);
        grant(0, 6);
        EXPECT_EQ(handover_.lingering(), CpuMask::range(6, 2));
        grant(0, 8);
        EXPECT_TRUE(handover_.lingering().empty());
        EXPECT_FALSE(handover_.above_since());
}

TEST_F(HandoverTest, WhatLingersIsBoundedHoweverManyGrantsARegionOutlives) {
        grant(0, 8);
        region(1, 8);
        for (std::uint32_t i = 0; i < 100; i++)
                grant(i % 8, 1);
        EXPECT_EQ(handover_.lingering().count(), 7U);
        EXPECT_FALSE(handover_.lingering().intersects(handover_.held()->grant.cpus));
}

TEST_F(HandoverTest, ACpuThatIsSharedDoesNotLinger) {
        auto shared = grant_of(ClientId{1}, CpuMask::range(0, 1));
        shared.shared = true;
        (void)handover_.grant(shared, now_);
        region(1, 1);
        grant(4, 1);
        EXPECT_TRUE(handover_.lingering().empty());
}

TEST_F(HandoverTest, WhoNeverReportsCountsAsOutside) {
        grant(0, 8);
        grant(0, 4);
        EXPECT_FALSE(handover_.reported());
        EXPECT_TRUE(handover_.lingering().empty());
        EXPECT_FALSE(handover_.above_since());
}

TEST_F(HandoverTest, ALargerTeamThanGrantedIsAbove) {
        grant(0, 4);
        region(1, 12);
        EXPECT_EQ(handover_.above_since(), now_);
        now_ += 1s;
        region(1, 12);
        EXPECT_EQ(handover_.above_since(), now_ - 1s);
        handover_.report({1, 12, false}, kMost, now_);
        EXPECT_FALSE(handover_.above_since()) << "a team outside of a region is none";
}

TEST_F(HandoverTest, BurningMoreThanIsAllowedIsAboveSinceTheWindowBegan) {
        grant(0, 4);
        handover_.burned(4, 0, now_, now_ + 1s);
        EXPECT_FALSE(handover_.above_since());
        handover_.burned(5, 1, now_ + 1s, now_ + 2s);
        EXPECT_EQ(handover_.above_since(), now_ + 1s);
        EXPECT_EQ(handover_.burning(), 5U);
        handover_.burned(5, 1, now_ + 2s, now_ + 3s);
        EXPECT_EQ(handover_.above_since(), now_ + 1s);
        handover_.burned(4, 0, now_ + 3s, now_ + 4s);
        EXPECT_FALSE(handover_.above_since());
}

TEST_F(HandoverTest, IsNotAboveAGrantSinceBeforeIt) {
        grant(0, 8);
        now_ += 1s;
        grant(0, 4);
        handover_.burned(7, 1, now_ - 500ms, now_ + 500ms);
        EXPECT_EQ(handover_.above_since(), now_);
}

TEST_F(HandoverTest, StaysAboveWhoeverItsGrantIsChangedFor) {
        grant(0, 4);
        handover_.burned(8, 4, now_, now_ + 1s);
        now_ += 2s;
        grant(0, 8);
        EXPECT_EQ(handover_.above_since(), now_ - 2s) << "until it has kept to one for a while";
        handover_.burned(8, 0, now_, now_ + 1s);
        EXPECT_FALSE(handover_.above_since());
}

TEST_F(HandoverTest, WhatLingersIsAllowed) {
        EXPECT_EQ(handover_.allowed(now_), 0s);
        grant(0, 8);
        region(1, 8);
        now_ += 1s;
        grant(0, 4);
        now_ += 1s;
        EXPECT_EQ(handover_.allowed(now_), 16s);
        region(2, 4);
        EXPECT_EQ(handover_.allowed(now_), 16s);
        EXPECT_EQ(handover_.allowed(now_ + 1s), 20s);
        EXPECT_EQ(handover_.allowed(now_ - 5s), 16s) << "time does not run backwards";
}

class Relapse : public HandoverTest {
protected:
        /// Burns 8 CPUs of which it may use 4, and then 4, for so long.
        void overrun(std::chrono::seconds above, std::chrono::seconds good) {
                for (const auto end = now_ + above; now_ < end;)
                        burn(8);
                for (const auto end = now_ + good; now_ < end;)
                        burn(4);
        }
        void burn(std::uint32_t cpus) {
                now_ += 1s;
                handover_.burned(cpus, cpus - 4, now_ - 1s, now_);
        }
};

TEST_F(Relapse, IsASecondTimeWithinTenSeconds) {
        grant(0, 4);
        overrun(4s, 4s);
        EXPECT_FALSE(handover_.relapsed()) << "once is no habit";
        EXPECT_EQ(handover_.burning(), 4U);
        overrun(4s, 1s);
        EXPECT_TRUE(handover_.relapsed());
        EXPECT_EQ(handover_.burning(), 8U) << "as it may again";
        EXPECT_FALSE(handover_.above_since());
        overrun(0s, 8s);
        EXPECT_TRUE(handover_.relapsed());
        overrun(0s, 2s);
        EXPECT_FALSE(handover_.relapsed());
        EXPECT_EQ(handover_.burning(), 4U);
}

TEST_F(Relapse, IsJudgedByWhatIsLate) {
        handover_.set_late_after(500ms);
        grant(0, 4);
        overrun(1s, 1s);
        EXPECT_FALSE(handover_.relapsed());
        overrun(1s, 1s);
        EXPECT_TRUE(handover_.relapsed());
}

TEST_F(Relapse, IsNotWhatIsShortOrLongAfter) {
        grant(0, 4);
        for (int i = 0; i < 5; i++)
                overrun(1s, 1s);
        EXPECT_FALSE(handover_.relapsed()) << "regions may be late";
        overrun(4s, 12s);
        overrun(4s, 12s);
        EXPECT_FALSE(handover_.relapsed());
}

TEST_F(HandoverTest, GoesByTheGrantOfItsRegion) {
        grant(0, 2);
        region(1, 2);
        grant(0, 64);
        EXPECT_EQ(handover_.knows_of(), 2U);
        region(2, 64);
        EXPECT_EQ(handover_.knows_of(), 64U);
        grant(0, 8);
        EXPECT_EQ(handover_.knows_of(), 64U);
        outside();
        EXPECT_EQ(handover_.knows_of(), 8U);
}

TEST_F(HandoverTest, AnEpochOfTheFutureIsAnOldOne) {
        grant(0, 8);
        region(1, 8);
        grant(0, 4);
        region(1'000, 4);
        EXPECT_EQ(handover_.lingering(), CpuMask::range(4, 4)) << "not given back by a lie";
        region(~std::uint64_t{0}, ~std::uint32_t{0});
        EXPECT_EQ(handover_.lingering(), CpuMask::range(4, 4));
}

TEST_F(HandoverTest, TheSameRegionOfAnUnknownEpochDoesNotBeginAgain) {
        grant(0, 8);
        EXPECT_TRUE(region(1'000, 4).began);
        EXPECT_FALSE(region(1'000, 4).began);
}

}  // namespace
}  // namespace governor::registry
