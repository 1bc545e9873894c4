// SPDX-License-Identifier: MIT
// The moments at which CPUs change hands.
#include "world.hpp"

#include <gtest/gtest.h>

namespace governor::policy::fair {
namespace {

using Counts = std::vector<std::uint32_t>;

/// One program in a region on all CPUs, and another that comes.
class Handover : public testing::Test {
protected:
        Handover() : world({8}) {
                world.add();
                world.follow();
                world.clients[0].in_use = world.clients[0].granted;
        }

        /// Notes the decision like the registry when the holder's region has gone on.
        void note(const Decision& decision) {
                for (std::size_t i = 0; i < world.clients.size(); i++) {
                        auto& client = world.clients[i];
                        client.granted = decision.grants[i].cpus;
                        client.shared = decision.grants[i].shared;
                        if (client.in_use.is_within(client.granted))
                                continue;
                        client.above_since = client.above_since.value_or(world.now);
                        client.lingers_since = client.lingers_since.value_or(world.now);
                }
        }

        World world;
};

TEST_F(Handover, ANewcomerOfAStreamMakesNobodyShrink) {
        world.add(1, milliseconds{0}).in_stream = true;
        const auto decision = world.decide();
        EXPECT_EQ(threads_of(decision), (Counts{8, 1}));
        EXPECT_TRUE(decision.grants[1].shared);
        EXPECT_EQ(decision.grants[1].reason.limit, Limit::Newcomer);
        EXPECT_EQ(decision.again, world.now + seconds{1});
}

TEST_F(Handover, ANewcomerOfAStreamComesBehindTheSharesOfOthers) {
        world.add(2, milliseconds{0}).in_stream = true;
        world.add(1, milliseconds{0});
        auto decision = world.decide();
        EXPECT_EQ(threads_of(decision), (Counts{4, 1, 2}));
        EXPECT_EQ(decision.grants[2].reason.limit, Limit::FairShare);

        World larger({64});
        larger.add();
        larger.follow();
        larger.clients[0].in_use = larger.clients[0].granted;
        larger.add(2, milliseconds{0}).in_stream = true;
        larger.add(3, milliseconds{0});
        EXPECT_EQ(larger.decide().grants[2].threads, 21U);
}

TEST_F(Handover, AProgramBeginsWithItsShareBesideTheHolder) {
        world.add(1, milliseconds{0});
        const auto decision = world.decide();
        EXPECT_EQ(threads_of(decision), (Counts{4, 4}));
        EXPECT_EQ(overlaps(decision), 0U);
        note(decision);
        world.add(1, milliseconds{0});
        EXPECT_EQ(threads_of(world.decide()), (Counts{3, 3, 2})) << "and so does the next one";
}

TEST_F(Handover, WhatOneThatBeginsIsGivenIsForNobodyElse) {
        world.clients[0].max = 2;
        world.add().granted = CpuMask::range(2, 1);  // it grows, and does not begin
        auto decision = world.decide();
        EXPECT_EQ(threads_of(decision), (Counts{2, 1}));
        world.add(2, milliseconds{0});
        decision = world.decide();
        EXPECT_EQ(threads_of(decision), (Counts{2, 1, 4}));
        EXPECT_EQ(overlaps(decision), 0U);
}

TEST_F(Handover, AProgramThatWakesUpHasItsShareBesideTheHolder) {
        world.add();
        world.clients[1].idle = true;
        auto decision = world.decide();
        EXPECT_EQ(threads_of(decision), (Counts{8, 4})) << "told what it wakes up with";
        EXPECT_TRUE(decision.grants[1].shared);
        note(decision);
        EXPECT_EQ(world.decide().grants[1].cpus, decision.grants[1].cpus) << "and goes on so";

        world.clients[1].idle = false;
        decision = world.decide();
        EXPECT_EQ(threads_of(decision), (Counts{4, 4}));
        EXPECT_FALSE(decision.grants[1].shared);
}

TEST_F(Handover, AHundredThatSleepWakeUpWithAThreadEach) {
        for (int i = 0; i < 100; i++)
                world.add().idle = true;
        const auto counts = threads_of(world.decide());
        EXPECT_EQ(counts, [] {
                auto expected = Counts(101, 1);
                expected[0] = 8;
                return expected;
        }());
}

TEST_F(Handover, WhoHasComeBackGetsNoMoreThanItHadUntilAllAreBack) {
        auto& client = world.clients[0];
        client.resumed = Resumed{3, world.now + seconds{4}};
        client.granted = CpuMask::range(2, 3);
        client.in_use = client.granted;
        auto decision = world.decide();
        EXPECT_EQ(threads_of(decision), (Counts{3}));
        EXPECT_EQ(decision.grants[0].cpus, CpuMask::range(2, 3));
        EXPECT_EQ(decision.grants[0].reason.limit, Limit::Returning);
        EXPECT_EQ(decision.again, client.resumed->settled);
        world.now = client.resumed->settled;
        decision = world.decide();
        EXPECT_EQ(threads_of(decision), (Counts{8}));
        EXPECT_EQ(decision.grants[0].reason.limit, Limit::Everything);
}

TEST_F(Handover, WhoHasComeBackGetsLessWhereItHasARightToLess) {
        world.clients[0].resumed = Resumed{8, world.now + seconds{4}};
        world.add();
        EXPECT_EQ(world.decide().grants[0].threads, 4U);
}

TEST_F(Handover, ANewcomerGetsWhatIsFreeUpToItsShare) {
        world.clients[0].max = 3;
        world.follow();
        world.clients[0].in_use.clear();
        world.add(1, milliseconds{0});
        EXPECT_EQ(world.follow(), (Counts{3, 5}));
}

TEST_F(Handover, AShrinkIsToldAtOnceAndTheGrowthFollowsTheRegionsEnd) {
        world.clients[0].granted = CpuMask::range(0, 7);
        world.add().granted = CpuMask::range(7, 1);
        auto decision = world.decide();
        EXPECT_EQ(threads_of(decision), (Counts{4, 1}));
        EXPECT_EQ(decision.grants[1].reason.limit, Limit::Handover);
        EXPECT_EQ(decision.grants[1].reason.share, 4U);
        note(decision);

        world.now += milliseconds{100};
        EXPECT_EQ(threads_of(world.decide()), (Counts{4, 1}));

        world.clients[0].in_use.clear();
        world.clients[0].above_since.reset();
        world.clients[0].lingers_since.reset();
        decision = world.decide();
        EXPECT_EQ(threads_of(decision), (Counts{4, 4}));
        EXPECT_EQ(overlaps(decision), 0U);
}

TEST(HandoverOfALightProgram, IsWaitedForUpToHandoverMax) {
        World world({2});
        auto& light = world.add();
        light.light = light.shared = true;
        light.granted = light.in_use = CpuMask::range(1, 1);
        light.lingers_since = world.now;
        world.add().granted = CpuMask::range(0, 1);
        auto decision = world.decide();
        EXPECT_EQ(decision.grants[1].threads, 1U);
        EXPECT_EQ(decision.grants[1].reason.limit, Limit::Handover);
        world.now += world.settings.handover_max;
        decision = world.decide();
        EXPECT_EQ(decision.grants[1].threads, 2U);
        EXPECT_EQ(decision.grants[0].reason.limit, Limit::Light);
}

TEST_F(Handover, WhoDoesNotFollowIsRigidAfterHandoverMax) {
        world.clients[0].burning = 6;
        world.add();
        world.add();
        note(world.decide());
        world.now += world.settings.handover_max;
        const auto decision = world.decide();
        // Entitled to 3; charged for the 6 it burns, bounded to 3 + half of the others' 5.
        EXPECT_EQ(decision.grants[0].reason.limit, Limit::Rigid);
        EXPECT_EQ(decision.grants[0].threads, 3U);
        EXPECT_EQ(decision.grants[1].threads + decision.grants[2].threads, 3U);
}

// It may burn more for another reason than a region that does not end.
TEST_F(Handover, WhatARigidHolderLosesNowIsWaitedFor) {
        world.clients[0].burning = 8;
        world.clients[0].above_since = world.now - seconds{10};
        world.add();
        const auto decision = world.decide();
        EXPECT_EQ(decision.grants[0].reason.limit, Limit::Rigid);
        EXPECT_FALSE(decision.grants[1].cpus.intersects(world.clients[0].in_use) &&
                     !decision.grants[1].shared);
}

/// The region that it wakes up with may be a long one.
TEST_F(Handover, AProgramWakesUpWithItsWholeShareBesideARigidHolder) {
        world.clients[0].burning = 8;
        world.add();
        world.clients[1].idle = true;
        world.add();
        note(world.decide());
        world.now += world.settings.handover_max;
        const auto decision = world.decide();
        ASSERT_EQ(decision.grants[0].reason.limit, Limit::Rigid);
        EXPECT_EQ(decision.grants[1].threads, 3U);
}

/// It wakes up with its share, and others have that until then.
TEST_F(Handover, AnIdleHolderIsNotCharged) {
        world.clients[0].idle = true;
        world.add(2);
        note(world.decide());
        world.now += world.settings.handover_max;
        EXPECT_EQ(threads_of(world.decide()), (Counts{4, 8}));
}

TEST_F(Handover, ARigidHolderThatBurnsNothingKeepsItsShareAndNoMore) {
        world.clients[0].burning = 0;
        world.add();
        note(world.decide());
        world.now += world.settings.handover_max;
        const auto decision = world.decide();
        EXPECT_EQ(threads_of(decision), (Counts{4, 4})) << "it may begin a region at any time";
        EXPECT_EQ(overlaps(decision), 0U);
}

// Its first region may be its only one.
TEST_F(Handover, WhoStartsBesideARigidHolderBeginsOnItsWholeShare) {
        world.clients[0].burning = 8;
        world.add();
        note(world.decide());
        world.now += world.settings.handover_max;
        world.add();
        const auto first = world.decide();
        ASSERT_EQ(first.grants[0].reason.limit, Limit::Rigid);
        EXPECT_EQ(first.grants[2].threads, 2U);
        EXPECT_TRUE(first.grants[2].shared) << "others run there";
        EXPECT_EQ(explain(first.grants[2]), "fair share: 8 cpus, 3 programs of 1 account -> 2");
        note(first);
        EXPECT_EQ(world.decide().grants[2].threads, 1U) << "from then on like the others";
}

TEST_F(Handover, WhatOneIsChargedDoesNotGoByWhoHoldsWhatNow) {
        world.clients[0].in_use.clear();
        world.add();
        world.add();
        world.clients[0].granted = CpuMask::range(0, 2);
        world.clients[1].granted = CpuMask::range(2, 3);
        world.clients[2].granted = CpuMask::range(5, 3);
        world.clients[0].above_since = world.now - seconds(10);
        world.clients[0].burning = 6;
        const auto others = [&] {
                const auto threads = world.follow();
                return Counts{threads[1], threads[2]};
        };
        EXPECT_EQ(others(), (Counts{2, 1}));
        EXPECT_EQ(others(), (Counts{2, 1}));
}

TEST_F(Handover, WhoBurnsMoreThanItIsGrantedKeepsOthersFromGrowing) {
        world.clients[0].in_use.clear();
        world.clients[0].burning = 8;
        world.clients[0].above_since = world.now;
        world.clients[0].granted = CpuMask::range(0, 4);
        auto& second = world.add();
        second.granted = second.in_use = CpuMask::range(7, 1);
        EXPECT_EQ(threads_of(world.decide()), (Counts{4, 1}));
}

TEST_F(Handover, NobodyWaitsForAnIdleProgramToLeave) {
        auto& idle = world.clients[0];
        idle.in_use = CpuMask::range(0, 7);
        idle.shared = idle.idle = true;
        idle.wants = 1;
        auto& second = world.add();
        second.granted = second.in_use = CpuMask::range(7, 1);
        EXPECT_EQ(world.decide().grants[1].threads, 8U);
}

TEST_F(Handover, WhoBeginsHasWhatIsFreeAndBesidesWhatOthersHaveStillToLeave) {
        world.clients[0].granted = world.clients[0].in_use = CpuMask::range(0, 6);
        world.add();
        const auto decision = world.decide();
        EXPECT_EQ(threads_of(decision), (Counts{4, 4}));
        EXPECT_TRUE(CpuMask::range(6, 2).is_within(decision.grants[1].cpus));
}

TEST_F(Handover, WhoBeginsDoesNotWaitForWhatOthersBurn) {
        world.clients[0].in_use = CpuMask::range(0, 4);
        world.clients[0].burning = 8;  // still that of the region before
        world.clients[0].above_since = world.now;
        world.add();
        EXPECT_EQ(threads_of(world.decide()), (Counts{4, 4}));
}

/// All CPUs are busy. One that could be charged for any of them is not charged for those of one
/// that could not.
TEST(HandoverInACpuset, WhoBurnsMoreThanItIsGrantedIsChargedWhereItCanRun) {
        World world({9});
        const auto add = [&world](std::uint32_t first, std::uint32_t count, std::uint32_t held,
                                  std::uint32_t burning) {
                auto& client = world.add();
                client.allowed = CpuMask::range(first, count);
                client.granted = client.in_use = CpuMask::range(held, 1);
                client.burning = burning;
                if (burning <= 1)
                        return;
                client.max = 1;
                client.above_since = world.now;
        };
        add(0, 9, 5, 3);
        add(0, 4, 0, 4);
        add(4, 4, 4, 1);
        world.clients.back().max = 1;
        add(0, 9, 8, 1);
        EXPECT_EQ(threads_of(world.decide()), (Counts{1, 1, 1, 1}));
}

TEST_F(Handover, NobodyTakesBackACpuForWhichThereIsNoRoomWhereItIs) {
        World eight({8});
        eight.load(CpuMask::range(4, 4), 250);
        const auto add = [&](const CpuMask& held) -> Client& {
                auto& client = eight.add();
                client.granted = client.in_use = held;
                return client;
        };
        add(CpuMask(CpuSet{0})).allowed = CpuMask::range(0, 4);
        auto& burning = add(CpuMask(CpuSet{4}));
        burning.above_since = eight.now;
        burning.burning = 3;
        add(CpuMask(CpuSet{7}));
        auto& leaving = add(CpuMask(CpuSet{1, 5}));
        leaving.weight = 400;
        leaving.in_use = CpuMask(CpuSet{1, 5, 6});
        leaving.above_since = eight.now;
        const auto decision = eight.decide();
        EXPECT_EQ(decision.foreign, 1U);
        EXPECT_EQ(decision.grants[3].reason.share, 4U);
        EXPECT_EQ(threads_of(decision), (std::vector<std::uint32_t>{1, 1, 1, 2}));
}

TEST_F(Handover, TheCpusOfOneThatLeftGoToTheOthers) {
        world.clients[0].in_use.clear();
        world.add();
        EXPECT_EQ(world.follow(), (Counts{4, 4}));
        world.clients.erase(world.clients.begin());
        EXPECT_EQ(world.follow(), (Counts{8}));
}

TEST_F(Handover, CpusThatWentOfflineAreTakenFromTheirHolders) {
        world.clients[0].in_use.clear();
        world.add();
        world.follow();
        world.machine = Machine(world.topology, CpuMask::range(0, 4));
        const auto decision = world.decide();
        EXPECT_EQ(threads_of(decision), (Counts{2, 2}));
        EXPECT_EQ(overlaps(decision), 0U);
}

}  // namespace
}  // namespace governor::policy::fair
