// SPDX-License-Identifier: MIT
// Batch jobs of one user after the other, on what is theirs together.
#include "world.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace governor::policy::fair {
namespace {

using Counts = std::vector<std::uint32_t>;

/// Clients with gangs that say how far they are, all older than newcomers.
class Batch : public World {
public:
        explicit Batch(std::uint32_t cpus) : World({cpus}) {}

        /// The gang after the last one.
        std::size_t gang(std::uint64_t account = 1) {
                Gang gang;
                gang.id = GangId{gangs.size() + 1};
                gang.account = AccountId{account};
                gang.joined = now - seconds(100) + seconds(gangs.size());
                gang.waits_since = now;
                gang.remaining = seconds(100);
                gangs.push_back(gang);
                return gangs.size() - 1;
        }
        /// All CPUs make it as many times as fast.
        Client& job(std::uint64_t account = 1) {
                auto& client = add(account);
                client.gang = gang(account);
                client.scaling = linear();
                return client;
        }
        [[nodiscard]] Decision decided() const {
                auto all = snapshot();
                all.gangs = gangs;
                return fair::decide(settings, all);
        }
        [[nodiscard]] Counts threads() const { return threads_of(decided()); }
        /// 'P' for one that is parked.
        [[nodiscard]] std::string parked() const {
                std::string text;
                for (const auto& grant : decided().grants)
                        text += grant.parked ? 'P' : '.';
                return text;
        }

        std::vector<Gang> gangs;
};

TEST(Turns, TheOldestHasWhatAllWouldShare) {
        Batch world(8);
        world.job();
        world.job();
        world.job();
        EXPECT_EQ(world.threads(), (Counts{8, 1, 1}));
        EXPECT_EQ(world.parked(), ".PP");
        const auto decision = world.decided();
        EXPECT_EQ(decision.turns, std::vector{GangId{1}});
        EXPECT_TRUE(decision.grants[2].shared);
        EXPECT_EQ(explain(decision.grants[2]), "parked: 2 batch jobs first, fair share 1 -> 1");
}

TEST(Turns, OffMeansThatTheyShare) {
        Batch world(8);
        world.settings.turns = false;
        world.job();
        world.job();
        EXPECT_EQ(world.threads(), (Counts{4, 4}));
        EXPECT_EQ(world.parked(), "..");
}

TEST(Turns, LeaveAProgramThatTakesNoneWhatItHasWhoeverIsFirst) {
        Batch world(7);
        world.job().granted = CpuMask::range(0, 4);
        world.add(1).granted = CpuMask::range(4, 3);
        auto& waits = world.job();
        waits.granted = CpuMask::range(0, 1);
        waits.shared = waits.parked = true;
        EXPECT_EQ(world.threads(), (Counts{4, 3, 1}));
        EXPECT_EQ(world.parked(), "..P");
}

TEST(Turns, AreAnAffairOfOneUser) {
        Batch world(12);
        for (int i = 0; i < 3; i++)
                world.job(1);
        world.job(2);
        EXPECT_EQ(world.threads(), (Counts{6, 1, 1, 6}));
        EXPECT_EQ(world.parked(), ".PP.");
}

TEST(Turns, AcrossUsersWhereTheAdministratorSaysSo) {
        Batch world(12);
        world.settings.turns_across_users = true;
        world.job(1);
        world.job(2);
        EXPECT_EQ(world.threads(), (Counts{12, 1}));
        EXPECT_EQ(world.parked(), ".P");
}

TEST(Turns, AnInteractiveProgramHasTheShareThatItWouldHaveBesideAllOfThem) {
        Batch world(12);
        world.job();
        world.job();
        world.add();
        EXPECT_EQ(world.threads(), (Counts{8, 1, 4}));
        EXPECT_EQ(world.parked(), ".P.");
}

TEST(Turns, AGangIsNeverParkedInPart) {
        Batch world(8);
        world.job();
        auto& second = world.add();
        second.gang = world.clients.front().gang;
        second.scaling = linear();
        world.job();
        EXPECT_EQ(world.threads(), (Counts{4, 4, 1}));
        EXPECT_EQ(world.parked(), "..P");
}

TEST(Turns, WhatTheFirstCannotUseGoesToTheNext) {
        Batch world(8);
        world.job().max = 3;
        world.job().max = 2;
        world.job();
        world.job();
        EXPECT_EQ(world.threads(), (Counts{3, 2, 3, 1}));
        EXPECT_EQ(world.parked(), "...P");
}

TEST(Turns, AGangThatDoesNotFitIntoWhatIsLeftWaits) {
        Batch world(8);
        world.job().max = 7;
        auto& wide = world.job();
        const auto gang = wide.gang;
        auto& member = world.add();
        member.gang = gang;
        member.scaling = linear();
        world.job();
        EXPECT_EQ(world.parked(), ".PP.") << "two members, one CPU";
        EXPECT_EQ(world.threads(), (Counts{7, 1, 1, 1}));
}

TEST(Turns, AGangThatMayNotUseWhatIsLeftWaits) {
        Batch world(8);
        for (int i = 0; i < 4; i++)
                world.job().allowed = i < 2 ? CpuMask::range(0, 4) : CpuMask::range(4, 8);
        EXPECT_EQ(world.threads(), (Counts{4, 1, 4, 1}));
        EXPECT_EQ(world.parked(), ".P.P");
}

TEST(Turns, AGangWhoseQuotaIsUsedUpWaits) {
        Batch world(8);
        world.cgroups.push_back({{}, 4});
        world.job().cgroup = 0;
        world.job().cgroup = 0;
        world.job();
        EXPECT_EQ(world.threads(), (Counts{4, 1, 4}));
        EXPECT_EQ(world.parked(), ".P.");
}

TEST(Turns, AnImpatientGangNeedsNoSecondCpuToHaveItsTurn) {
        Batch world(8);
        world.job().max = 2;
        const auto wide = world.job().gang;
        for (int i = 0; i < 3; i++)
                world.add().gang = wide;
        world.gangs[1].waits_since = world.now - world.settings.turn_max_wait;
        EXPECT_EQ(world.threads(), (Counts{2, 2, 2, 1, 1}));
        EXPECT_EQ(world.decided().turns.size(), 2U);
}

TEST(Turns, OffMeansThatNobodyWaitsForOthersToLeaveEither) {
        Batch world(8);
        world.settings.turns = false;
        auto& stranger = world.add(2);
        stranger.granted = stranger.in_use = CpuMask::range(0, 8);
        world.job();
        EXPECT_EQ(world.parked(), "..");
        EXPECT_EQ(world.decided().turns, std::vector{GangId{1}}) << "it does not wait";
}

TEST(Turns, AnIdleOneLendsItsTurn) {
        Batch world(8);
        auto& first = world.job();
        first.idle = true;
        first.wants = 1;
        world.job();
        EXPECT_EQ(world.parked(), "..") << "it is to be seen when it wakes";
        EXPECT_EQ(world.decided().turns, std::vector{GangId{2}});
        EXPECT_EQ(world.threads(), (Counts{4, 8})) << "its next region may be a long one";
}

TEST(Turns, WhoHasWaitedForLongEnoughHasACpu) {
        Batch world(8);
        world.job();
        world.job();
        world.job();
        world.gangs[2].waits_since = world.now - world.settings.turn_max_wait;
        EXPECT_EQ(world.threads(), (Counts{7, 1, 1}));
        EXPECT_EQ(world.parked(), ".P.");
        EXPECT_FALSE(world.decided().grants[2].shared);
}

TEST(Turns, HowManyEverLackPatienceTheFirstHasHalf) {
        Batch world(16);
        world.job();
        const auto ranks = world.job().gang;
        for (int i = 1; i < 16; i++) {
                auto& rank = world.add();
                rank.gang = ranks;
                rank.scaling = linear();
        }
        for (int i = 0; i < 3; i++)
                world.job();
        for (std::size_t g = 1; g < world.gangs.size(); g++)
                world.gangs[g].waits_since = world.now - world.settings.turn_max_wait;
        const auto decision = world.decided();
        EXPECT_EQ(decision.grants[0].threads, 8U);
        EXPECT_EQ(decision.turns, std::vector{GangId{1}});
        for (const auto& grant : decision.grants)
                EXPECT_FALSE(grant.parked);
        world.gangs[1].remaining = seconds(1);  // the ranks come first
        for (std::size_t i = 17; i < 20; i++)
                EXPECT_FALSE(world.decided().grants[i].shared) << "the others keep theirs";
}

TEST(Turns, AreServedAsFastAsTheyGo) {
        Batch world(8);
        world.job().max = 6;
        world.job();
        const auto decision = world.decided();
        EXPECT_EQ(decision.turns, (std::vector{GangId{1}, GangId{2}}));
        ASSERT_EQ(decision.paces.size(), 2U);
        EXPECT_NEAR(decision.paces[0], 6.0 / 8, 0.01);
        EXPECT_NEAR(decision.paces[1], 2.0 / 8, 0.01);
}

TEST(Turns, WhatIsNotKnownToGainByMoreShares) {
        Batch world(12);
        world.job();
        world.job();
        world.job().scaling = {};
        EXPECT_EQ(world.threads(), (Counts{8, 1, 4}));
        EXPECT_EQ(world.parked(), ".P.");
        world.clients[0].scaling = {};
        EXPECT_EQ(world.threads(), (Counts{4, 4, 4})) << "one alone is in nobody's way";
        EXPECT_EQ(world.decided().turns.size(), 3U);
}

TEST(Turns, WhoseEndIsNotKnownWeighTheSame) {
        Batch world(12);
        for (int i = 0; i < 3; i++)
                world.job();
        for (auto& gang : world.gangs)
                gang.remaining.reset();
        EXPECT_EQ(world.threads(), (Counts{4, 4, 4}));
        world.gangs[2].remaining = seconds(1);
        EXPECT_EQ(world.threads(), (Counts{1, 1, 12}));
        world.gangs[2].remaining = seconds(1'000);
        EXPECT_EQ(world.threads(), (Counts{6, 6, 1}));
}

TEST(Turns, WhoIsOnTrialHasAnEndBeforeLong) {
        Batch world(12);
        world.job();
        world.job();
        world.gangs[1].remaining.reset();
        world.gangs[1].is_on_trial = true;
        EXPECT_EQ(world.threads(), (Counts{1, 12}));
}

TEST(Turns, WithoutCpusOfTheirOwnOneRunsBesideOthers) {
        Batch world(1);
        world.add(2);
        world.job();
        world.job();
        EXPECT_EQ(world.parked(), "..P");
        EXPECT_EQ(world.threads(), (Counts{1, 1, 1}));
}

TEST(Turns, TheNextCpuGoesWhereItGainsMost) {
        Batch world(16);
        world.job().scaling = amdahl(0);
        world.job();
        EXPECT_EQ(world.threads(), (Counts{1, 15})) << "more do not make the first one faster";
        world.clients[0].scaling = world.clients[1].scaling = amdahl(4);
        const auto threads = world.threads();
        EXPECT_GE(threads[0], 8U) << "the first one ends first";
        EXPECT_GE(threads[1], 4U) << "but does not gain that much by all of them";
        EXPECT_EQ(threads[0] + threads[1], 16U);
}

TEST(Turns, WhatNobodyGainsByIsDealtOutAllTheSame) {
        Batch world(16);
        world.job().scaling = amdahl(0);
        world.job().scaling = amdahl(0);
        EXPECT_EQ(world.threads(), (Counts{8, 8}));
        world.clients[0].weight = 300;
        EXPECT_EQ(world.threads(), (Counts{12, 4})) << "by weights";
        world.clients[1].wants = 2;
        EXPECT_EQ(world.threads(), (Counts{14, 2}));
}

TEST(Turns, AGangHasNoMoreThanEachMemberMay) {
        Batch world(16);
        world.job().max = 1;
        for (int i = 0; i < 3; i++) {
                auto& member = world.add();
                member.gang = 0;
                member.max = 1;
                member.scaling = linear();
        }
        world.job();
        EXPECT_EQ(world.threads(), (Counts{1, 1, 1, 1, 12}));
}

TEST(Turns, WhatIsGainedIsAnAffairOfThoseWhoTakeTurns) {
        Batch world(16);
        world.job().scaling = amdahl(0);
        world.add(2);
        EXPECT_EQ(world.threads(), (Counts{8, 8})) << "one alone has what there is";
        world.settings.turns = false;
        world.job();
        EXPECT_EQ(world.threads(), (Counts{4, 8, 4}));
}

TEST(Turns, WhoIsTriedOnFewerLeavesTheRestFree) {
        Batch world(16);
        world.job().probe_width = 8;
        world.job();
        EXPECT_EQ(world.threads(), (Counts{8, 1}));
        EXPECT_EQ(world.parked(), ".P") << "it is over before anybody could begin";
        const auto decision = world.decided();
        EXPECT_EQ(decision.again, world.now + milliseconds(25));
        EXPECT_EQ(explain(decision.grants[0]),
                  "it makes use of no more than 8: 16 cpus, 2 programs of 1 account -> 8");
}

TEST(Turns, NobodyIsTriedAlone) {
        Batch world(16);
        world.job().probe_width = 8;
        EXPECT_EQ(world.threads(), (Counts{16}));
        world.job(2).probe_width = 4;
        EXPECT_EQ(world.threads(), (Counts{8, 8})) << "nobody of its user would have the rest";
}

TEST(Turns, WhoSharesIsTriedToo) {
        Batch world(16);
        world.job().scaling = {};
        world.clients[0].probe_width = 4;
        world.job().scaling = {};
        EXPECT_EQ(world.threads(), (Counts{4, 8}));
}

TEST(Turns, AGangOfSeveralIsNotTried) {
        Batch world(16);
        world.job().probe_width = 4;
        auto& second = world.add();
        second.gang = world.clients.front().gang;
        second.scaling = linear();
        second.probe_width = 4;
        world.job();
        EXPECT_EQ(world.threads(), (Counts{8, 8, 1}));
}

TEST(Turns, OneAloneIsNotParked) {
        Batch world(8);
        world.job();
        EXPECT_EQ(world.threads(), (Counts{8}));
        EXPECT_EQ(world.parked(), ".");
}

TEST(Turns, WhoseTurnItIsWaitsUntilTheOtherHasLeft) {
        Batch world(8);
        auto& first = world.job();
        first.granted = first.in_use = CpuMask::range(0, 8);
        world.job().parked = true;
        world.clients[1].granted = CpuMask::range(0, 1);
        world.clients[1].shared = true;
        world.gangs[0].has_turn = true;
        world.gangs[1].remaining = seconds(10);
        const auto decision = world.decided();
        EXPECT_EQ(decision.turns, std::vector{GangId{2}});
        EXPECT_EQ(world.parked(), "PP");
        EXPECT_EQ(decision.grants[1].reason.limit, Limit::Handover);
        world.clients[0].in_use.clear();
        EXPECT_EQ(world.parked(), "P.");
        EXPECT_EQ(world.threads(), (Counts{1, 8}));
}

/// Batch programs of one label.
class OfAKind : public Batch {
public:
        using Batch::Batch;

        /// Nothing is known of its end, nor of what CPUs are worth to it.
        Client& alike(std::uint64_t kind = 7) {
                auto& client = add();
                client.gang = gang();
                gangs.back().remaining.reset();
                gangs.back().kind = kind;
                return client;
        }
};

TEST(TurnsOfAKind, ThoseThatAreKnownToGainGoOneAfterTheOther) {
        OfAKind world(8);
        for (int i = 0; i < 3; i++)
                world.alike().scaling = linear();
        EXPECT_EQ(world.threads(), (Counts{8, 1, 1}));
        EXPECT_EQ(world.parked(), ".PP");
        world.gangs[0].served = seconds(1000);
        EXPECT_EQ(world.threads(), (Counts{8, 1, 1})) << "so it is the one that ends first";
}

TEST(TurnsOfAKind, LeaveOtherKindsTheirPart) {
        OfAKind world(8);
        for (const auto kind : {7U, 7U, 8U, 8U})
                world.alike(kind).scaling = linear();
        EXPECT_EQ(world.threads(), (Counts{4, 1, 4, 1}));
        EXPECT_EQ(world.parked(), ".P.P");
}

TEST(TurnsOfAKind, HaveNoTurnBesideTheOneThatHasAllCpus) {
        OfAKind world(8);
        world.job();
        world.gangs[0].remaining = seconds(20);
        for (int i = 0; i < 2; i++) {
                world.alike().scaling = linear();
                world.gangs.back().served = seconds(10);
        }
        EXPECT_EQ(world.parked(), ".PP");
        EXPECT_EQ(world.threads(), (Counts{8, 1, 1}));
}

TEST(TurnsOfAKind, GoOnWhereOneComesOfWhichNothingIsKnown) {
        OfAKind world(8);
        for (int i = 0; i < 3; i++)
                world.alike().scaling = linear();
        world.alike();
        EXPECT_EQ(world.threads(), (Counts{6, 1, 1, 2}));
        EXPECT_EQ(world.parked(), ".PP.");
}

TEST(TurnsOfAKind, LeaveACpuToOneThatHasWaitedForTooLong) {
        OfAKind world(8);
        for (int i = 0; i < 3; i++)
                world.alike().scaling = linear();
        world.gangs[2].waits_since = world.now - world.settings.turn_max_wait;
        EXPECT_EQ(world.threads(), (Counts{7, 1, 1}));
        EXPECT_EQ(world.parked(), ".P.");
        EXPECT_FALSE(world.decided().grants[2].shared);
}

TEST(TurnsOfAKind, ShareWhereUsersWaitForEachOther) {
        OfAKind world(8);
        world.settings.turns_across_users = true;
        for (int i = 0; i < 2; i++)
                world.alike().scaling = linear();
        EXPECT_EQ(world.threads(), (Counts{4, 4}));
}

TEST(TurnsOfAKind, ShareWhereItIsNotKnownThatTheyGain) {
        OfAKind world(8);
        for (int i = 0; i < 4; i++)
                world.alike();
        EXPECT_EQ(world.threads(), (Counts{2, 2, 2, 2}));
        EXPECT_EQ(world.parked(), "....");
}

// The worth of more CPUs matters to none but the first, of which it is found out.
TEST(TurnsOfAKind, HaveOneCpuEachOrWaitWhereTheyAreMoreThanCpus) {
        OfAKind world(4);
        for (int i = 0; i < 6; i++)
                world.alike();
        EXPECT_EQ(world.threads(), (Counts{2, 1, 1, 1, 1, 1}));
        EXPECT_EQ(world.parked(), "...PPP");
}

TEST(TurnsOfUnknownOnes, HaveOneCpuEachOrWaitToo) {
        OfAKind world(4);
        for (std::uint64_t kind = 0; kind < 6; kind++)
                world.alike(kind);
        EXPECT_EQ(world.threads(), (Counts{2, 1, 1, 1, 1, 1}));
        EXPECT_EQ(world.parked(), "...PPP");
        world.gangs[0].served = world.settings.turn_quantum;
        EXPECT_EQ(world.parked(), "P...PP") << "it was served for longest";
}

// It would begin with one thread later, too, and end alone if all of it is one region.
TEST(TurnsOfUnknownOnes, OneMoreRunsWhereNoneHasTwoCpus) {
        for (const auto cpus : {2U, 3U, 64U}) {
                OfAKind world(cpus);
                for (std::uint32_t i = 0; i < cpus + 4; i++)
                        world.alike(0);
                const auto run = cpus > 2 ? cpus - 1 : cpus + 1;
                const auto wait = cpus + 4 - run;
                EXPECT_EQ(world.parked(), std::string(run, '.') + std::string(wait, 'P')) << cpus;
        }
}

TEST(TurnsOfUnknownOnes, NoMoreThanOneRunsWhereNoneCouldHaveTwoCpus) {
        OfAKind world(1);
        for (int i = 0; i < 3; i++)
                world.alike(0);
        EXPECT_EQ(world.parked(), ".PP");
}

/// Four, of which the last one waited on CPU 0 until now, and the first waits from now on.
OfAKind beside(std::uint32_t cpus, const std::function<void(OfAKind&)>& others) {
        OfAKind world(cpus);
        others(world);
        const auto first = world.clients.size();
        for (int i = 0; i < 4; i++)
                world.alike(0);
        world.gangs[0].served = world.settings.turn_quantum;
        world.clients[first].granted = CpuMask::range(cpus - 1, 1);
        auto& next = world.clients[first + 3];
        next.granted = CpuMask::range(0, 1);
        next.shared = next.parked = true;
        return world;
}

TEST(TurnsOfUnknownOnes, TheOneMoreRunsBesideAnotherOfThem) {
        const auto world =
                beside(3, [](OfAKind& all) { all.add().granted = CpuMask::range(0, 1); });
        EXPECT_EQ(world.parked(), ".P...");
        const auto grants = world.decided().grants;
        EXPECT_FALSE(grants[4].cpus.contains(0)) << "where an interactive program is";
        EXPECT_EQ(grants[1].cpus, CpuMask::range(2, 1)) << "where its region may go on";
}

TEST(TurnsOfUnknownOnes, TheOneMoreTakesNoPartOfAnotherUsers) {
        const auto world =
                beside(4, [](OfAKind& all) { all.add(2).granted = CpuMask::range(0, 2); });
        EXPECT_EQ(world.parked(), ".P...");
        const auto grants = world.decided().grants;
        EXPECT_EQ(grants[0].cpus, CpuMask::range(0, 2));
        EXPECT_TRUE(grants[4].cpus.is_within(CpuMask::range(2, 2)));
}

TEST(Turns, ALightProgramRunsRatherBesideAJobOfItsUserThanBesideAnotherUser) {
        Batch world(4);
        world.add(2).granted = CpuMask::range(0, 2);
        world.job().granted = CpuMask::range(2, 2);
        auto& light = world.add();
        light.light = true;
        EXPECT_TRUE(world.decided().grants[2].cpus.is_within(CpuMask::range(2, 2)));
}

TEST(TurnsOfUnknownOnes, OneThatMayUseNoCpuOfTheOthersIsNotTheOneMore) {
        OfAKind world(3);
        auto& other = world.add(2);
        other.granted = other.allowed = CpuMask::range(2, 1);
        for (int i = 0; i < 4; i++)
                world.alike(0);
        world.clients[3].allowed = CpuMask::range(2, 1);
        EXPECT_EQ(world.parked(), "...P.");
}

TEST(TurnsOfUnknownOnes, TheOneMoreTakesNoPartOfAnotherUsersWhereItsOwnCpuIsCrowded) {
        OfAKind world(2);
        auto& light = world.add();
        light.light = true;
        world.add(2).granted = CpuMask::range(1, 1);
        for (int i = 0; i < 3; i++)
                world.alike(0);
        EXPECT_EQ(world.parked(), "....P");
        for (const auto i : {0U, 2U, 3U})
                EXPECT_EQ(world.decided().grants[i].cpus, CpuMask::range(0, 1)) << i;
}

TEST(TurnsOfUnknownOnes, TheOneMoreLeavesACpuThatAnotherUserGets) {
        OfAKind world(2);
        world.add(2).granted = CpuMask::range(1, 1);
        for (int i = 0; i < 3; i++)
                world.alike(0);
        world.clients[1].granted = CpuMask::range(0, 1);
        world.clients[2].granted = CpuMask::range(1, 1);
        world.clients[2].shared = true;
        EXPECT_EQ(world.parked(), "...P");
        EXPECT_EQ(world.decided().grants[2].cpus, CpuMask::range(0, 1));
}

TEST(TurnsOfUnknownOnes, NoMoreRunThanAQuotaAllows) {
        OfAKind world(4);
        world.cgroups.push_back({std::nullopt, 2});
        for (int i = 0; i < 4; i++)
                world.alike(0).cgroup = 0;
        EXPECT_EQ(world.parked(), "..PP");
}

TEST(TurnsOfUnknownOnes, TheOneMoreStaysWhereItIs) {
        OfAKind world(2);
        for (int i = 0; i < 4; i++)
                world.alike(0);
        CpuMask before;
        for (int i = 0; i < 3; i++) {
                const auto grants = world.decided().grants;
                EXPECT_EQ(world.parked(), "...P");
                EXPECT_TRUE(before.empty() || grants[2].cpus == before);
                before = grants[2].cpus;
                for (std::size_t k = 0; k < grants.size(); k++) {
                        world.clients[k].granted = grants[k].cpus;
                        world.clients[k].shared = grants[k].shared;
                        world.clients[k].parked = grants[k].parked;
                }
        }
}

TEST(TurnsOfUnknownOnes, OneThatIsOutOfPatienceIsNotTheOneMore) {
        OfAKind world(2);
        for (int i = 0; i < 5; i++)
                world.alike(0);
        world.gangs[1].waits_since = world.now - world.settings.turn_max_wait;
        EXPECT_EQ(world.parked(), "...PP");
}

TEST(TurnsOfUnknownOnes, WaitForNoCpuWhereThereIsNone) {
        OfAKind world(2);
        for (std::uint32_t i = 0; i < 2; i++)
                world.add().granted = CpuMask::range(i, 1);
        for (int i = 0; i < 3; i++)
                world.alike(0);
        EXPECT_EQ(world.parked(), ".....");
}

TEST(TurnsOfAKind, WaitBesideAHogThatHasHalfAsWell) {
        OfAKind world(4);
        world.load(CpuMask::range(0, 2));
        for (int i = 0; i < 3; i++)
                world.alike();
        EXPECT_EQ(world.parked(), "..P");
}

TEST(TurnsOfUnknownOnes, TwoRunWhereAHogLeavesOneCpu) {
        OfAKind world(2);
        world.load(CpuMask::range(0, 1));
        for (int i = 0; i < 3; i++)
                world.alike(0);
        EXPECT_EQ(world.parked(), "..P");
}

TEST(TurnsOfUnknownOnes, HaveOneEachWhereThereAreEnough) {
        OfAKind world(4);
        for (std::uint64_t kind = 1; kind < 5; kind++)
                world.alike(kind);
        EXPECT_EQ(world.threads(), (Counts{1, 1, 1, 1}));
        EXPECT_EQ(world.parked(), "....");
}

TEST(TurnsOfUnknownOnes, LeaveAKindItsPart) {
        OfAKind world(4);
        for (const auto kind : {7U, 7U, 8U, 9U})
                world.alike(kind);
        EXPECT_EQ(world.parked().substr(2), "..");
}

TEST(TurnsOfUnknownOnes, MakeNoJobOfSeveralWait) {
        OfAKind world(4);
        for (int i = 0; i < 3; i++)
                world.alike(0);
        world.job().scaling = {};
        const auto gang = world.clients.back().gang;
        world.add().gang = gang;
        world.gangs.back().remaining.reset();
        EXPECT_EQ(world.parked().substr(3), "..");
}

TEST(TurnsOfUnknownOnes, ShareWhereUsersWaitForEachOther) {
        OfAKind world(4);
        world.settings.turns_across_users = true;
        for (int i = 0; i < 6; i++)
                world.alike(0);
        EXPECT_EQ(world.parked(), "......");
}

TEST(TurnsOfAKind, TwoOfThemOnTwoCpusHaveOneEach) {
        OfAKind world(2);
        world.alike();
        world.alike();
        EXPECT_EQ(world.threads(), (Counts{1, 1}));
        EXPECT_EQ(world.parked(), "..");
}

TEST(TurnsOfAKind, WithoutALabelNobodyIsLikeAnother) {
        OfAKind world(8);
        for (int i = 0; i < 2; i++)
                world.alike(0).scaling = linear();
        EXPECT_EQ(world.threads(), (Counts{4, 4}));
}

// Its first region may be its only one.
TEST(Turns, WhatIsNotKnownToGainStartsOnItsShareBesideARigidHolder) {
        OfAKind world(8);
        auto& rigid = world.add(2);
        rigid.granted = CpuMask::range(0, 4);
        rigid.in_use = CpuMask::range(0, 8);
        rigid.burning = 8;
        rigid.above_since = rigid.lingers_since = world.now - seconds(10);
        auto& job = world.alike();
        job.granted.clear();
        const auto decision = world.decided();
        ASSERT_EQ(decision.grants[0].reason.limit, Limit::Rigid);
        EXPECT_EQ(decision.grants[1].threads, 4U);
        EXPECT_FALSE(decision.grants[1].parked);
}

}  // namespace
}  // namespace governor::policy::fair
