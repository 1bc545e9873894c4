// SPDX-License-Identifier: MIT
// The share to which each user and each program is entitled.
#include "world.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace governor::policy::fair {
namespace {

using Counts = std::vector<std::uint32_t>;

TEST(FairShare, OneProgramAloneGetsEverything) {
        World world({8});
        world.add();
        EXPECT_EQ(world.follow(), (Counts{8}));
        EXPECT_EQ(explain(world.decide().grants[0]),
                  "all cpus: 8 cpus, 1 program of 1 account -> 8");
}

TEST(FairShare, TwoUsersGetHalfEachWhateverTheirProgramCount) {
        World world({16});
        world.add(1);
        for (int i = 0; i < 4; i++)
                world.add(2);
        EXPECT_EQ(world.follow(), (Counts{8, 2, 2, 2, 2}));
}

TEST(FairShare, IsWhatHoldsOneThatWantsMore) {
        World world({16});
        world.add(1).wants = 16;
        world.add(2).wants = 16;
        EXPECT_EQ(world.follow(), (Counts{8, 8}));
        EXPECT_EQ(world.decide().grants[0].reason.limit, Limit::FairShare);
        world.clients[0].wants = 6;
        EXPECT_EQ(world.follow(), (Counts{6, 10}));
        EXPECT_EQ(world.decide().grants[0].reason.limit, Limit::Demand);
}

TEST(FairShare, WeightsCountWithinAnAccount) {
        World world({12});
        world.add().weight = 200;
        world.add();
        EXPECT_EQ(world.follow(), (Counts{8, 4}));
}

TEST(FairShare, WhatOneDoesNotWantGoesToTheOthersEvenly) {
        World world({16});
        world.add().max = 2;
        world.add();
        world.add();
        EXPECT_EQ(world.follow(), (Counts{2, 7, 7}));
}

TEST(FairShare, AMinimumIsTakenFromItsOwnAccount) {
        World world({16});
        world.add(1).min = 6;
        world.add(1);
        world.add(2);
        EXPECT_EQ(world.follow(), (Counts{6, 2, 8}));
}

TEST(FairShare, AGuaranteeComesBeforeTheSharesOfAccounts) {
        World world({16});
        world.add(1).guaranteed = 12;
        world.add(2);
        EXPECT_EQ(world.follow(), (Counts{12, 4}));
}

TEST(FairShare, EverybodyHasOneThreadEvenWhereClientsOutnumberCpus) {
        World world({4});
        for (int i = 0; i < 11; i++)
                world.add();
        EXPECT_EQ(world.follow(), Counts(11, 1));
        const auto decision = world.decide();
        EXPECT_EQ(std::ranges::count_if(decision.grants,
                                        [](const Grant& grant) { return grant.shared; }),
                  7);
}

TEST(FairShare, WhoUsesLittleHasACpuThatIsShared) {
        World world({2});
        world.add().light = true;
        world.add();
        EXPECT_EQ(world.follow(), (Counts{1, 2}));
        const auto decision = world.decide();
        EXPECT_TRUE(decision.grants[0].shared);
        EXPECT_EQ(explain(decision.grants[0]),
                  "it uses little: a cpu that is shared, others have the rest -> 1");
        world.clients[0].light = false;
        EXPECT_EQ(world.follow(), (Counts{1, 1}));
        EXPECT_EQ(overlaps(world.decide()), 0U);
}

TEST(FairShare, WhoUsesLittleIsBesideItsOwnAccount) {
        World world({4});
        world.add(2);
        world.add(1);
        world.add(1).light = true;
        world.follow();
        const auto decision = world.decide();
        ASSERT_TRUE(decision.grants[2].shared);
        EXPECT_TRUE(decision.grants[1].cpus.contains(*decision.grants[2].cpus.first()));
        EXPECT_FALSE(decision.grants[0].cpus.contains(*decision.grants[2].cpus.first()));
}

TEST(FairShare, WhoUsesLittleHasWhatNobodyElseWants) {
        World world({4});
        world.add().light = true;
        world.add().max = 1;
        EXPECT_EQ(world.follow(), (Counts{3, 1}));
}

TEST(FairShare, OfTwoOfAnAccountThatUseLittleOneHasACpu) {
        World world({8});
        for (const auto account : {1U, 1U, 1U, 1U, 1U, 1U, 1U, 2U}) {
                auto& light = world.add(account);
                light.light = true;
                light.wants = 1;
        }
        world.add(3);
        EXPECT_EQ(world.follow(), (Counts{1, 1, 1, 1, 1, 1, 1, 1, 5}));
        const auto decision = world.decide();
        EXPECT_EQ(std::ranges::count_if(decision.grants,
                                        [](const Grant& grant) { return grant.shared; }),
                  5);
}

TEST(FairShare, WhoUsesLittleHasWhatItIsGuaranteed) {
        World world({4});
        auto& light = world.add();
        light.light = true;
        light.guaranteed = 2;
        world.add();
        EXPECT_EQ(world.follow(), (Counts{2, 2}));
}

TEST(FairShare, DisjointCpusetsDoNotTouchEachOther) {
        World world({64});
        world.add(1).allowed = CpuMask::range(0, 32);
        world.add(1).allowed = CpuMask::range(0, 32);
        world.add(1).allowed = CpuMask::range(32, 32);
        EXPECT_EQ(world.follow(), (Counts{16, 16, 32}));
        EXPECT_EQ(world.decide().grants[2].reason.limit, Limit::Cpuset);
}

TEST(FairShare, WhoMayUseMoreMakesRoomForWhoMayNot) {
        World world({64});
        world.add();
        EXPECT_EQ(world.follow(), (Counts{64}));
        world.add().allowed = CpuMask::range(0, 32);
        EXPECT_EQ(world.follow(), (Counts{32, 32}));
        EXPECT_EQ(world.decide().grants[0].cpus, CpuMask::range(32, 32));
}

TEST(FairShare, OverlappingCpusetsAreSharedMaxMin) {
        World world({12});
        world.add().allowed = CpuMask::range(0, 6);
        world.add().allowed = CpuMask::range(3, 6);
        world.add().allowed = CpuMask::range(6, 6);
        EXPECT_EQ(world.follow(), (Counts{4, 4, 4}));
        EXPECT_EQ(overlaps(world.decide()), 0U);
}

TEST(FairShare, AQuotaHoldsForAllProgramsBelowItTogether) {
        World world({64});
        world.cgroups.push_back({std::nullopt, 4});
        for (int i = 0; i < 4; i++)
                world.add().cgroup = 0;
        world.add();
        EXPECT_EQ(world.follow(), (Counts{1, 1, 1, 1, 60}));
        const auto grant = world.decide().grants[0];
        EXPECT_EQ(grant.reason.limit, Limit::Quota);
        EXPECT_EQ(explain(grant),
                  "quota of its control group: 4 cpus for all programs in it, fair share 1 -> 1");
}

TEST(FairShare, TheTightestAncestorsQuotaCounts) {
        World world({64});
        world.cgroups.push_back({std::nullopt, 10});
        world.cgroups.push_back({0, 6});
        world.add().cgroup = 1;
        world.add().cgroup = 1;
        world.add().cgroup = 0;
        EXPECT_EQ(world.follow(), (Counts{3, 3, 4}));
}

TEST(FairShare, WhoMayRunOnNoGovernedCpuIsLeftAlone) {
        World world({8});
        world.add().allowed = CpuMask::range(100, 3);
        world.add();
        EXPECT_EQ(world.follow(), (Counts{3, 8}));
        EXPECT_EQ(world.decide().grants[0].reason.limit, Limit::Ungoverned);
}

TEST(FairShare, TiesGoToWhoHoldsTheCpu) {
        World world({8});
        auto& first = world.add();
        first.granted = CpuMask::range(0, 2);
        world.add().granted = CpuMask::range(2, 3);
        world.add().granted = CpuMask::range(5, 3);
        EXPECT_EQ(world.follow(), (Counts{2, 3, 3}));
}

TEST(FairShare, AnIdleHolderLendsItsShareAndGetsItBack) {
        World world({8});
        world.add();
        world.add();
        EXPECT_EQ(world.follow(), (Counts{4, 4}));
        world.clients[0].idle = true;
        world.clients[0].wants = 1;
        EXPECT_EQ(world.follow(), (Counts{4, 8}));
        EXPECT_TRUE(world.clients[0].shared);
        EXPECT_EQ(explain(world.decide().grants[0]),
                  "idle or stopped: its share is lent until it goes on -> 4");
        world.clients[0].idle = false;
        world.clients[0].wants.reset();
        EXPECT_EQ(world.follow(), (Counts{4, 4}));
}

TEST(FairShare, ManyProgramsOfOneUserTakeNothingFromAnother) {
        World world({16});
        for (int i = 0; i < 16; i++)
                world.add(1);
        world.add(2);
        const auto counts = world.follow();
        EXPECT_EQ(counts.back(), 8U);
        EXPECT_EQ(world.follow(), counts);
}

TEST(FairShare, WhoFindsNoRoomInItsCpusetCostsItsUserNothing) {
        World world({16});
        for (int i = 0; i < 12; i++)
                world.add(1).allowed = CpuMask::range(0, 1);
        world.add(1);
        world.add(2);
        const auto counts = world.follow();
        EXPECT_EQ(counts[12], 7U);
        EXPECT_EQ(counts[13], 8U);
}

TEST(FairShare, WhatIsGuaranteedToOneThatIsIdleIsLent) {
        World world({16});
        world.add(1).guaranteed = 12;
        world.add(2);
        world.clients[0].idle = true;
        world.clients[0].wants = 1;
        EXPECT_EQ(world.follow(), (Counts{12, 16})) << "it wakes up with that";
        EXPECT_TRUE(world.clients[0].shared);
}

TEST(FairShare, WhatNobodyWantsIsStillHandedOut) {
        World world({8});
        world.add().wants = 2;
        world.add().wants = 2;
        EXPECT_EQ(world.follow(), (Counts{4, 4}));
}

TEST(FairShare, TheSumsAreRightWhereTheCpusAreFewerThanTheGuarantees) {
        World world({4});
        world.add().guaranteed = 3;
        world.add().guaranteed = 3;
        EXPECT_EQ(world.follow(), (Counts{2, 2}));
}

}  // namespace
}  // namespace governor::policy::fair
