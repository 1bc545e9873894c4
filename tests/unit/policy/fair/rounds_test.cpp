// SPDX-License-Identifier: MIT
// Teams that are kept, side by side as far as they fit, else in rounds.
#include "policy/numbers.hpp"
#include "world.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace governor::policy::fair {
namespace {

using std::chrono::milliseconds;

class Teams : public World {
public:
        explicit Teams(std::uint32_t cpus) : World({cpus}) {}

        /// A program of a gang of its own, which keeps a team of so many threads.
        Client& team(std::uint32_t threads, std::uint64_t account = 1) {
                auto& client = add(account);
                Gang gang;
                gang.id = GangId{gangs.size() + 1};
                gang.account = AccountId{account};
                client.gang = gangs.size();
                client.team = threads;
                client.takes_turns = false;
                gangs.push_back(gang);
                return client;
        }
        RoundState& round(std::size_t i) { return gangs[i].round; }
        [[nodiscard]] Decision decided() const {
                auto all = snapshot();
                all.gangs = gangs;
                return fair::decide(settings, all);
        }
        /// CPUs of its own for each, 'P' for one that waits.
        [[nodiscard]] std::string grants() const {
                std::string text;
                for (const auto& grant : decided().grants)
                        text += (text.empty() ? "" : " ") +
                                (grant.parked ? "P" : std::to_string(grant.threads));
                return text;
        }

        /// CPUs that each gang is entitled to on average, in hundredths.
        [[nodiscard]] std::vector<double> shares() const {
                std::vector<double> shares(gangs.size());
                for (const auto& round : decided().rounds)
                        shares[static_cast<std::size_t>(round.id) - 1] =
                                std::round(100 * round.share) / 100;
                return shares;
        }

        std::vector<Gang> gangs;
};

/// It waits, and has a CPU that others have, too.
void park(Client& client) {
        client.granted = CpuMask::range(0, 1);
        client.shared = client.parked = true;
}

/// In a region on all of 8 CPUs that are its own.
void run_on_all(Client& client) {
        client.granted = client.in_use = CpuMask::range(0, 8);
        client.present_team = 8;
}

/// Threads that are no team's go on while it waits, or it does not say the truth.
TEST(Rounds, AreChargedForWhatOneThatWaitsBurns) {
        Teams world(8);
        world.team(8, 1);
        park(world.team(8, 2));
        world.clients[1].burning = 5;
        world.clients[1].excess = 4;
        const auto decision = world.decided();
        ASSERT_EQ(world.grants(), "8 P");
        EXPECT_EQ(decision.rounds[1].uses, 4);
}

TEST(Rounds, AreNotNeededWhereAllFit) {
        Teams world(16);
        for (int i = 0; i < 4; i++)
                world.team(4);
        const auto decision = world.decided();
        EXPECT_EQ(world.grants(), "4 4 4 4");
        EXPECT_TRUE(decision.rounds.empty());
}

TEST(Rounds, AreDividedByWeightWhereCpusCannotBe) {
        Teams world(8);
        for (const auto weight : {100U, 100U, 100U, 50U})
                world.team(8).weight = weight;
        EXPECT_EQ(world.shares(), (std::vector{2.29, 2.29, 2.29, 1.14}));
}

TEST(Rounds, AreNotDividedFurtherThanTeamsCanUse) {
        Teams world(7);
        world.team(8);
        world.team(2);
        world.team(8);
        EXPECT_EQ(world.shares(), (std::vector{2.5, 2., 2.5}));
}

TEST(Rounds, OfAUserAreSoMuchLessAsItHasElsewhere) {
        Teams world(7);
        world.add(1).max = 2;
        world.team(8, 1);
        world.team(8, 2);
        EXPECT_EQ(world.shares(), (std::vector{1.5, 3.5}));
}

TEST(Rounds, OnOtherCpusAreNoRoundsOfItsOwn) {
        Teams world(8);
        world.team(8, 1).allowed = CpuMask::range(0, 2);
        world.team(8, 2);
        world.team(8, 3);
        EXPECT_EQ(world.shares(), (std::vector{2., 3., 3.}));
        world.clients[1].min = 4;
        EXPECT_EQ(world.shares(), (std::vector{2., 3., 3.})) << "inside of its account alone";
}

TEST(Rounds, OfAProgramWithAMinimumAreNoLess) {
        Teams world(8);
        world.team(8).min = 4;
        world.team(8);
        world.team(8);
        EXPECT_EQ(world.shares(), (std::vector{4., 2., 2.}));
}

TEST(Rounds, OfAUserAreNoMoreForProgramsThatCannotReplaceEachOther) {
        Teams limited(8);
        limited.trees.push_back({100, 1, 4});
        for (int i = 0; i < 10; i++)
                limited.team(8, 1).tree = 0;
        limited.team(8, 2);
        Teams apart(8);
        for (std::uint32_t i = 0; i < 10; i++)
                apart.team(8, 1).allowed = CpuMask::range(0, 8) - CpuMask::range(i % 8, i % 8 + 1);
        apart.team(8, 2);
        for (const auto& world : {limited, apart}) {
                const auto shares = world.shares();
                EXPECT_NEAR(std::accumulate(shares.begin(), shares.end() - 1, 0.), 4, 0.05);
                EXPECT_EQ(shares.back(), 4);
        }
}

TEST(Rounds, OfATreeAreSoMuchLessAsItHasElsewhere) {
        Teams world(8);
        world.trees.push_back({});
        auto& follower = world.add(1);
        follower.tree = 0;
        follower.max = 2;
        world.team(8).tree = 0;
        world.team(8);
        EXPECT_EQ(world.shares(), (std::vector{2., 4.}));
}

TEST(Rounds, OneTeamRunsAndTheOtherWaits) {
        Teams world(8);
        world.team(8);
        world.team(8);
        EXPECT_EQ(world.grants(), "8 P");
        EXPECT_EQ(explain(world.decided().grants[1]),
                  "its team waits for its round: 1 other first, fair share 4 -> 1");
        EXPECT_EQ(world.decided().rounds.size(), 2U);
}

TEST(Rounds, TeamsThatFitRunSideBySide) {
        Teams world(8);
        world.team(6);
        world.team(5);
        world.team(2);
        EXPECT_EQ(world.grants(), "6 P 2");
}

TEST(Rounds, CostThoseThatRunWhatTheyLeaveToNobody) {
        Teams world(8);
        world.team(5, 1);
        world.team(8, 2);
        EXPECT_EQ(world.grants(), "5 P");
        EXPECT_EQ(world.decided().rounds[0].uses, 8) << "so each has half of the time";
        world.clients[0].team = world.clients[0].max = 1;
        EXPECT_EQ(world.grants(), "1 P");
        EXPECT_DOUBLE_EQ(world.decided().rounds[0].uses, 8.0 / 7) << "of its share, 1, as of 7";
        world.clients[1].rests = true;
        EXPECT_EQ(world.decided().rounds[0].uses, 1) << "nobody waits for the rest";
}

TEST(Rounds, CostNothingMoreWhereNoneThatWaitsCouldUseIt) {
        Teams world(8);
        world.team(4);
        world.team(8);
        world.team(4);
        EXPECT_EQ(world.grants(), "4 P 4");
        EXPECT_EQ(world.decided().rounds[0].uses, 4);
}

TEST(Rounds, CostWhatATeamBurns) {
        Teams world(8);
        world.team(4).burning = 7;
        world.team(8);
        world.team(4);
        EXPECT_EQ(world.grants(), "4 P 4");
        EXPECT_EQ(world.decided().rounds[0].uses, 7);
}

TEST(Rounds, AreOfTheOneThatUsedLeast) {
        Teams world(8);
        world.team(8);
        world.team(8);
        world.round(0).used_s = 2;
        world.round(1).used_s = 1;
        EXPECT_EQ(world.grants(), "P 8");
}

TEST(Rounds, LastForAWhile) {
        Teams world(8);
        world.team(8).takes_turns = true;
        world.team(8).takes_turns = true;
        world.settings.turns = false;
        world.round(0) = {2, 0, world.now - numbers::kRound + milliseconds(1), {}};
        world.round(1) = {1, 0, {}, world.now};
        EXPECT_EQ(world.grants(), "8 P");
        EXPECT_EQ(world.decided().again, world.now + milliseconds(1));
        world.round(0).since = world.now - numbers::kRound;
        EXPECT_EQ(world.grants(), "P 8");
}

TEST(Rounds, GoOnUntilAnotherHasUsedLess) {
        Teams world(8);
        world.team(8).takes_turns = true;
        world.team(8).takes_turns = true;
        world.settings.turns = false;
        // One that uses twice its share catches up on four seconds in two.
        world.round(0) = {1, 0, world.now - numbers::kRound, {}};
        world.round(1) = {5, 0, {}, world.now};
        EXPECT_EQ(world.decided().again, world.now + milliseconds(2000) + numbers::kRest);
}

TEST(Rounds, AreOfTheUserWhoHasUsedLeast) {
        Teams world(8);
        for (const std::uint64_t account : {2U, 2U, 1U})
                world.team(8, account);
        for (std::size_t i = 0; i < 2; i++)
                world.round(i).account_used_s = 5;
        world.round(2).account_used_s = 1;
        world.round(2).used_s = 100;
        EXPECT_EQ(world.grants(), "P P 8");
        // However long one of the other user has waited.
        world.round(0).waits_since = world.now - milliseconds(1000);
        EXPECT_EQ(world.grants(), "P P 8");
}

TEST(Rounds, AreNeverVeryShort) {
        Teams world(8);
        for (int i = 0; i < 100; i++)
                world.team(8, i == 0 ? 1 : 2);
        world.round(0) = {0, 4, world.now, {}};
        EXPECT_EQ(world.decided().again, world.now + numbers::kPoll);
}

TEST(Rounds, OfLongRegionsBeginHalfARegionLater) {
        Teams world(8);
        world.team(8).takes_turns = true;
        world.team(8).takes_turns = true;
        world.settings.turns = false;
        world.round(0) = {10, 0, world.now - numbers::kRound, {}};
        world.round(1) = {8, 0, {}, world.now, milliseconds(4000)};
        // Two seconds of 8 threads on 4 CPUs are 4 s of its share.
        EXPECT_EQ(world.grants(), "8 P");
        world.round(0).used_s = 12.01;
        EXPECT_EQ(world.grants(), "P 8");
}

TEST(Rounds, OfOneThatIsAheadAreNotDue) {
        Teams world(8);
        world.team(8);
        world.team(8);
        world.round(0) = {1, 0, world.now - milliseconds(200), {}};
        world.round(1) = {20, 0, {}, world.now - milliseconds(200)};
        EXPECT_EQ(world.grants(), "8 P");
        world.round(1).used_s = 1.5;
        EXPECT_EQ(world.grants(), "P 8");
}

TEST(Rounds, AreNotForOneThatRests) {
        Teams world(8);
        world.team(8).rests = true;
        world.team(8);
        world.round(0) = {1, 0, world.now, {}};
        world.round(1) = {9, 0, {}, world.now};
        EXPECT_EQ(world.grants(), "P 8");
        EXPECT_FALSE(world.decided().again) << "nobody waits";
        EXPECT_TRUE(world.decided().rounds[1].rests);
}

TEST(Rounds, AreShorterForThoseThatAreInteractive) {
        Teams world(8);
        world.team(8);
        world.team(8);
        world.round(0) = {0, 0, world.now, {}};
        world.round(1) = {1, 0, {}, world.now};
        EXPECT_EQ(world.decided().again, world.now + milliseconds(200));
        // And it comes first then, although it has used more.
        world.round(0).since = world.round(1).waits_since = world.now - milliseconds(200);
        EXPECT_EQ(world.grants(), "P 8");
}

TEST(Rounds, BeginWhereTheOthersHaveLeft) {
        Teams world(8);
        auto& holder = world.team(8);
        run_on_all(holder);
        auto& next = world.team(8);
        park(next);
        world.round(0).used_s = 1;
        world.round(1).waits_since = world.now - milliseconds(200);
        EXPECT_EQ(world.grants(), "P P");
        EXPECT_EQ(world.decided().grants[1].reason.limit, Limit::Handover);
        EXPECT_EQ(world.decided().rounds[0].uses, 0U);  // the next one, which has to wait
        EXPECT_EQ(world.decided().rounds[1].uses, 8U);
        // A region that began on fewer CPUs than it has threads.
        world.clients[0].in_use.clear();
        EXPECT_EQ(world.grants(), "P P");
        EXPECT_EQ(world.decided().rounds[1].uses, 8U);
        world.clients[0].present_team = 0;
        EXPECT_EQ(world.grants(), "P 8");
}

TEST(Rounds, OfTheInteractiveBeginBesideARegionThatDoesNotEnd) {
        Teams world(8);
        auto& holder = world.team(8);
        run_on_all(holder);
        auto& next = world.team(8);
        park(next);
        world.round(0).used_s = 1;
        world.round(1).waits_since = world.now - numbers::kRoundWait;
        EXPECT_FALSE(world.decided().grants[1].parked);
        // A batch program waits.
        world.clients[1].takes_turns = true;
        world.settings.turns = false;
        EXPECT_TRUE(world.decided().grants[1].parked);
}

TEST(Rounds, OfAGangBeginOnceOneOfItsMembersHasWaitedLongEnough) {
        for (const std::size_t batch : {1U, 2U}) {
                Teams world(8);
                run_on_all(world.team(8));
                park(world.team(4));
                park(world.team(4));
                world.clients[2].gang = world.clients[1].gang;
                world.gangs.pop_back();
                world.clients[batch].takes_turns = true;
                world.settings.turns = false;
                world.round(0).used_s = 1;
                EXPECT_TRUE(world.decided().grants[1].parked) << batch;
                world.round(1).waits_since = world.now - numbers::kRoundWait;
                EXPECT_FALSE(world.decided().grants[1].parked) << batch;
        }
}

TEST(Rounds, OfAnotherUserWaitForALongRegionOnlySoLong) {
        Teams world(8);
        auto& holder = world.team(8);
        park(holder);
        holder.in_use = CpuMask::range(0, 8);
        holder.lingers_since = world.now - world.settings.handover_max;
        auto& next = world.team(8, 2);
        next.takes_turns = true;
        park(next);
        world.settings.turns = false;
        world.round(0).used_s = 1;
        EXPECT_FALSE(world.decided().grants[1].parked);
        world.clients[0].lingers_since = world.now;
        EXPECT_TRUE(world.decided().grants[1].parked);
}

TEST(Rounds, OfAnotherUserDoNotWaitLongerForATeamOnNoCpusOfItsOwn) {
        Teams world(8);
        auto& holder = world.team(8);
        park(holder);
        holder.present_team = 8;
        holder.team_since = world.now;
        auto& next = world.team(8, 2);
        next.takes_turns = true;
        park(next);
        world.settings.turns = false;
        world.round(0).used_s = 1;
        EXPECT_TRUE(world.decided().grants[1].parked);
        world.clients[0].team_since = world.now - world.settings.handover_max;
        EXPECT_FALSE(world.decided().grants[1].parked);
        world.clients[1].account = AccountId{1};
        EXPECT_TRUE(world.decided().grants[1].parked) << "its own user's";
        world.round(1).waits_since = world.now - world.settings.turn_max_wait;
        EXPECT_FALSE(world.decided().grants[1].parked);
}

/// Two teams of 8 on 8 CPUs, whose threads sleep while they wait.
class Crowded : public Teams {
public:
        Crowded() : Teams(8) {
                team(8).sleeps = true;
                team(8).sleeps = true;
        }
        [[nodiscard]] std::string crowded() const {
                std::string text;
                for (const auto& grant : decided().grants)
                        text += grant.crowded ? 'c' : '-';
                return text;
        }
};

TEST(Crowds, NeedNoRounds) {
        Crowded world;
        run_on_all(world.clients[0]);
        EXPECT_EQ(world.grants(), "4 4");
        EXPECT_EQ(world.crowded(), "cc");
        EXPECT_EQ(explain(world.decided().grants[1]), "its team shares the cpus with 1 other, and "
                                                      "sleeps while it waits, fair share 4 -> 4");
        EXPECT_TRUE(world.decided().rounds.empty());
}

TEST(Crowds, AreNoneWhereTheTeamsFit) {
        Crowded world;
        world.clients[0].team = world.clients[1].team = 4;
        EXPECT_EQ(world.grants(), "4 4");
        EXPECT_EQ(world.crowded(), "--");
}

TEST(Crowds, AreNoneWhereTheOtherIsIdle) {
        Crowded world;
        world.clients[1].idle = true;
        EXPECT_EQ(world.crowded(), "--");
}

TEST(Crowds, HaveNoTeamThatSpins) {
        Crowded world;
        world.team(2);
        EXPECT_EQ(world.crowded(), "---");
        EXPECT_EQ(world.grants(), "8 P P");
}

TEST(Crowds, LeaveBatchProgramsTheirTurns) {
        Crowded world;
        world.clients[1].takes_turns = true;
        EXPECT_EQ(world.crowded(), "--");
}

TEST(Crowds, HaveNobodyBesideWhoFollows) {
        Crowded world;
        world.add(1);
        EXPECT_EQ(world.crowded(), "---");
        world.clients[2].light = true;
        EXPECT_EQ(world.crowded(), "cc-");
        world.clients[2].light = false;
        world.clients[2].sleeps = true;  // a tree, which nothing holds to its grant
        world.clients[2].tree = world.add_tree();
        EXPECT_EQ(world.crowded(), "---") << "its programs have other threads";
        world.clients[0].tree = world.clients[2].tree;
        EXPECT_EQ(world.crowded(), "cc-");
}

TEST(Crowds, HaveNoForeignLoadBeside) {
        Crowded world;
        world.load(CpuMask::range(0, 1), 499);
        EXPECT_EQ(world.crowded(), "cc");
        world.load(CpuMask::range(0, 1), 500);
        EXPECT_EQ(world.crowded(), "--");
        Teams large(64);
        large.team(64).sleeps = true;
        large.team(64).sleeps = true;
        large.load(CpuMask::range(0, 64), 49);
        EXPECT_TRUE(large.decided().grants[0].crowded) << "a little of everything is on each host";
        large.load(CpuMask::range(0, 64), 50);
        EXPECT_FALSE(large.decided().grants[0].crowded);
}

TEST(Crowds, AreOnTheSameCpus) {
        Crowded world;
        for (auto& client : world.clients)
                client.team = 4;
        world.clients[0].allowed = world.clients[1].allowed = CpuMask::range(0, 4);
        EXPECT_EQ(world.crowded(), "cc");
        world.team(4).sleeps = true;
        world.clients[2].allowed = CpuMask::range(4, 4);
        EXPECT_EQ(world.crowded(), "---") << "one is alone";
}

TEST(Crowds, AreNotOfSingleThreads) {
        Crowded world;
        world.team(1).sleeps = true;
        EXPECT_EQ(world.crowded(), "---") << "who waits for nobody, and has half a CPU less";
}

TEST(Crowds, CountWhatATeamBurnsAboveItsMaximum) {
        Crowded world;
        world.clients[0].team = world.clients[1].team = 5;
        EXPECT_EQ(world.crowded(), "cc");
        world.clients[0].burning = 8;
        EXPECT_EQ(world.crowded(), "--");
}

TEST(Crowds, AreOfEqualsOnly) {
        Crowded world;
        world.clients[1].team = 6;
        EXPECT_EQ(world.crowded(), "--") << "the kernel would give it less than the other";
        world.clients[1].team = 7;
        EXPECT_EQ(world.crowded(), "cc");
        world.clients[1].weight = 200;
        EXPECT_EQ(world.crowded(), "--");
}

TEST(Crowds, OfUsersHaveAsManyTeamsOfEach) {
        Crowded world;
        world.team(8, 2).sleeps = true;
        EXPECT_EQ(world.crowded(), "---") << "half of the machine is one user's";
        world.team(8, 2).sleeps = true;
        EXPECT_EQ(world.crowded(), "cccc");
}

TEST(Crowds, OfATreeCountAsOne) {
        Crowded world;
        const auto tree = world.add_tree();
        world.clients[0].tree = world.clients[1].tree = tree;
        EXPECT_EQ(world.crowded(), "cc");
        world.clients[0].team = world.clients[1].team = 4;
        world.team(8).sleeps = true;
        EXPECT_EQ(world.crowded(), "ccc");
        world.clients[2].team = 5;
        EXPECT_EQ(world.crowded(), "---") << "the tree would have more";
}

TEST(Crowds, AreLeftWhereRoundsAreFasterOnAverage) {
        Crowded world;
        EXPECT_TRUE(world.decided().tries_crowd);
        world.clients[0].crowd_gain.gain = numbers::kCrowdPays;
        world.clients[0].crowd_gain.step = world.clients[1].crowd_gain.step = CrowdGain::Step::Done;
        EXPECT_EQ(world.crowded(), "cc");
        EXPECT_FALSE(world.decided().tries_crowd);
        world.clients[0].crowd_gain.gain = numbers::kCrowdPays - 0.01;
        EXPECT_EQ(world.crowded(), "--");
        EXPECT_EQ(world.grants(), "8 P");
        world.clients[1].crowd_gain.gain = numbers::kCrowdPays + 0.02;
        EXPECT_EQ(world.crowded(), "cc");
        world.clients[1].account = AccountId{2};
        EXPECT_EQ(world.crowded(), "--") << "one user would lose what the other one gains";
}

TEST(Crowds, AreLeftForAMomentToCompareThemWithRounds) {
        Crowded world;
        world.clients[1].crowd_gain.step = CrowdGain::Step::Rounds;
        EXPECT_EQ(world.crowded(), "cc") << "the other is still counted in the crowd";
        world.clients[0].crowd_gain.step = CrowdGain::Step::Rounds;
        EXPECT_EQ(world.crowded(), "--");
        EXPECT_EQ(world.grants(), "8 P");
        world.clients[0].crowd_gain = {CrowdGain::Step::Done, false, 1.5};
        EXPECT_EQ(world.crowded(), "cc") << "not for one that comes later";
        world.clients[1].crowd_gain.has_left = true;
        EXPECT_EQ(world.crowded(), "--") << "its round is still to come";
        world.clients[1].in_stream = true;
        EXPECT_EQ(world.crowded(), "cc") << "newcomers have no rounds";
}

TEST(Rounds, LeaveThoseThatFollowTheirShares) {
        Teams world(12);
        world.team(8);
        world.team(8);
        world.add();
        EXPECT_EQ(world.grants(), "8 P 4");
}

TEST(Rounds, AreNotForOneThatIsAlone) {
        Teams world(8);
        world.team(8);
        world.add();
        EXPECT_EQ(world.grants(), "4 4");
}

TEST(Rounds, PassBySomebodyWhoIsIdle) {
        Teams world(8);
        world.team(8).idle = true;
        world.team(8);
        EXPECT_EQ(world.decided().grants[1].parked, false);
        EXPECT_TRUE(world.decided().rounds.empty());
}

}  // namespace
}  // namespace governor::policy::fair
