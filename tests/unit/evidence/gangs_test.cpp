// SPDX-License-Identifier: MIT
// The programs that work together, and the times for which they ran and waited.
#include "evidence/gangs.hpp"

#include <gtest/gtest.h>

namespace governor::evidence {
namespace {

using std::chrono::seconds;

const TimePoint kStart{seconds(1000)};

TimePoint at(int s) { return kStart + seconds(s); }

Gangs::Key job(std::uint32_t uid, std::string name) {
        return {policy::Account{uid}, std::move(name)};
}

Gangs::Key tree(std::uint64_t number) {
        auto key = job(1, "a");
        key.alone = number;
        key.yields = true;
        return key;
}

TEST(Gangs, AreProgramsOfOneJobOfOneUser) {
        Gangs gangs;
        const auto one = gangs.enter(job(1, "a"), kStart);
        EXPECT_EQ(gangs.enter(job(1, "a"), at(1)), one);
        EXPECT_NE(gangs.enter(job(2, "a"), at(1)), one);
        EXPECT_NE(gangs.enter(job(1, "b"), at(1)), one);
        EXPECT_EQ(gangs.show(one, at(5)).joined, kStart);
}

TEST(Gangs, EndWithTheirLastMember) {
        Gangs gangs;
        const auto one = gangs.enter(job(1, "a"), kStart);
        (void)gangs.enter(job(1, "a"), kStart);
        gangs.leave(one);
        EXPECT_EQ(gangs.enter(job(1, "a"), at(1)), one);
        gangs.leave(one);
        gangs.leave(one);
        EXPECT_NE(gangs.enter(job(1, "a"), at(2)), one);
}

TEST(Gangs, KnowHowLongTheyHadWaitedForTheTurnThatTheyHave) {
        Gangs gangs;
        const auto one = gangs.enter(job(1, "a"), kStart);
        Gangs::Decided waits;
        waits.wants_to_run = waits.is_parked = true;
        Gangs::Decided runs;
        runs.wants_to_run = runs.has_turn = true;
        gangs.decided({{one, waits}}, at(1));
        EXPECT_FALSE(gangs.show(one, at(7)).runs_since);
        gangs.decided({{one, runs}}, at(7));
        gangs.decided({{one, runs}}, at(9));
        EXPECT_EQ(gangs.show(one, at(9)).runs_since, at(7));
        EXPECT_EQ(gangs.show(one, at(9)).waited, seconds(7));
        gangs.decided({{one, waits}}, at(10));
        EXPECT_FALSE(gangs.show(one, at(10)).runs_since);
        gangs.decided({{one, runs}}, at(12));
        EXPECT_EQ(gangs.show(one, at(12)).waited, seconds(2));
}

TEST(Gangs, AreServedWhileTheyRunInTheirTurn) {
        Gangs gangs;
        const auto one = gangs.enter(job(1, "a"), kStart);
        gangs.decided({{one, {true, 1, true, false, 4}}}, at(1));
        EXPECT_EQ(gangs.served(one, at(4)), (Served{seconds(3), seconds(12), seconds(3)}));
        gangs.decided({{one, {false, 0, true, true}}}, at(5));
        EXPECT_EQ(gangs.served(one, at(9)), (Served{seconds(4), seconds(16), seconds(4)}));
        gangs.decided({{one, {true, 1, true, false, 2}}}, at(10));
        EXPECT_EQ(gangs.served(one, at(11)), (Served{seconds(5), seconds(18), seconds(5)}));
}

TEST(Gangs, AreServedAsFastAsTheyGo) {
        Gangs gangs;
        const auto one = gangs.enter(job(1, "a"), kStart);
        gangs.decided({{one, {true, 0.25, true, false, 1}}}, at(1));
        EXPECT_EQ(gangs.served(one, at(5)), (Served{seconds(1), seconds(4), seconds(4)}));
        EXPECT_TRUE(gangs.show(one, at(5)).has_turn);
}

TEST(Gangs, WaitUntilTheyRunWhateverWasDecidedMeanwhile) {
        Gangs gangs;
        const auto one = gangs.enter(job(1, "a"), kStart);
        gangs.decided({{one, {false, 0, true, true}}}, at(1));
        gangs.decided({{one, {true, 1, true, true}}}, at(2));  // its CPUs are not free yet
        EXPECT_TRUE(gangs.show(one, at(3)).has_turn);
        EXPECT_EQ(gangs.show(one, at(3)).waits_since, kStart);
        EXPECT_EQ(gangs.served(one, at(3)), Served{});
        gangs.decided({{one, {false, 0, true, false}}},
                      at(4));  // a thread, since it is impatient
        EXPECT_EQ(gangs.show(one, at(5)).waits_since, kStart);
        gangs.decided({{one, {true, 1, true, false, 4}}}, at(6));
        EXPECT_EQ(gangs.show(one, at(6)).waits_since, std::nullopt);
        gangs.decided({{one, {false, 0, true, true}}}, at(8));
        EXPECT_EQ(gangs.show(one, at(9)).waits_since, at(8));
}

TEST(Gangs, ThatYieldGoOnWaitingAfterATurnThatWasTooShort) {
        Gangs gangs;
        gangs.set_quantum(seconds(3));
        const auto one = gangs.enter(tree(1), kStart);
        const Gangs::Decided runs{true, 1, true, false, 4};
        const Gangs::Decided waits{false, 0, true, true};
        gangs.decided({{one, runs}}, at(5));
        gangs.decided({{one, waits}}, at(7));
        EXPECT_EQ(gangs.show(one, at(7)).waits_since, at(2)) << "5 s, without the 2 s of its turn";
        gangs.decided({{one, runs}}, at(8));
        EXPECT_EQ(gangs.show(one, at(8)).waited, seconds(6));
        gangs.decided({{one, waits}}, at(9));
        EXPECT_EQ(gangs.show(one, at(9)).waits_since, at(9)) << "3 s in all";
        gangs.decided({{one, runs}}, at(10));
        gangs.decided({{one, waits}}, at(11));
        EXPECT_EQ(gangs.show(one, at(11)).waits_since, at(10)) << "what it had before is used up";
}

TEST(Gangs, WaitAnewOnceTheyWereIdle) {
        Gangs gangs;
        gangs.set_quantum(seconds(3));
        const auto one = gangs.enter(tree(1), kStart);
        gangs.decided({{one, {true, 1, true, false, 4}}}, at(5));
        gangs.decided({{one, {}}}, at(6));
        gangs.decided({{one, {false, 0, true, true}}}, at(7));
        EXPECT_EQ(gangs.show(one, at(7)).waits_since, at(7));
}

TEST(Gangs, DoNotWaitWhileTheyAreIdle) {
        Gangs gangs;
        const auto one = gangs.enter(job(1, "a"), kStart);
        gangs.decided({{one, {}}}, at(1));
        EXPECT_EQ(gangs.show(one, at(100)).waits_since, std::nullopt);
        gangs.decided({{one, {false, 0, true, true}}}, at(100));
        EXPECT_EQ(gangs.show(one, at(101)).waits_since, at(100));
}

TEST(Gangs, CountWhatTheirTeamsUseOfTheirShares) {
        Gangs gangs;
        const auto one = gangs.enter(job(1, "a"), kStart);
        const auto two = gangs.enter(job(1, "b"), kStart);
        gangs.take_rounds({{one, 4, 8, false, false, true}, {two, 4, 0, true}}, kStart);
        EXPECT_DOUBLE_EQ(gangs.show(one, at(1)).round.used_s, 2);
        EXPECT_DOUBLE_EQ(gangs.show(two, at(1)).round.used_s, 0);
        EXPECT_EQ(gangs.show(one, at(1)).round.since, kStart);
        EXPECT_EQ(gangs.show(two, at(1)).round.waits_since, kStart);
        gangs.take_rounds({{one, 4, 2, true}, {two, 4, 8, false}}, at(1));
        EXPECT_FALSE(gangs.show(two, at(2)).round.since) << "it only fits beside";
        EXPECT_DOUBLE_EQ(gangs.show(one, at(2)).round.used_s, 2.5);
        EXPECT_DOUBLE_EQ(gangs.show(two, at(2)).round.used_s, 2);
        EXPECT_EQ(gangs.show(one, at(2)).round.waits_since, at(1));
        EXPECT_FALSE(gangs.show(one, at(2)).round.since);
}

TEST(Gangs, ComeToRoundsAsTheOneThatUsedLeast) {
        Gangs gangs;
        const auto one = gangs.enter(job(1, "a"), kStart);
        const auto two = gangs.enter(job(1, "b"), kStart);
        gangs.take_rounds({{one, 1, 2, false}, {two, 1, 1, false}}, kStart);
        const auto three = gangs.enter(job(1, "c"), at(10));
        gangs.take_rounds({{one, 1, 0, true}, {two, 1, 0, true}, {three, 1, 1, false}}, at(10));
        EXPECT_DOUBLE_EQ(gangs.show(three, at(10)).round.used_s, 10);
        // Nor does one save what it has no use for.
        gangs.take_rounds({{one, 1, 0, true}, {two, 1, 0, true, true}, {three, 1, 5, false}},
                          at(10));
        gangs.take_rounds({{one, 1, 0, true}, {two, 1, 0, true, true}, {three, 1, 1, false}},
                          at(13));
        EXPECT_DOUBLE_EQ(gangs.show(two, at(13)).round.used_s, 20);
        // Without rounds nothing is counted.
        gangs.take_rounds({}, at(14));
        EXPECT_DOUBLE_EQ(gangs.show(three, at(20)).round.used_s, 26);
        EXPECT_FALSE(gangs.show(three, at(20)).round.since);
}

TEST(Gangs, OfAUserCountTogetherAlsoWhenTheyComeAndGo) {
        Gangs gangs;
        const auto other = gangs.enter(job(2, "a"), kStart);
        auto mine = gangs.enter(job(1, "a"), kStart);
        gangs.take_rounds({{mine, 4, 8, false}, {other, 4, 0, true}}, kStart);
        gangs.leave(mine);
        mine = gangs.enter(job(1, "b"), at(1));
        EXPECT_DOUBLE_EQ(gangs.show(mine, at(1)).round.used_s, 0);
        EXPECT_DOUBLE_EQ(gangs.show(mine, at(1)).round.account_used_s, 2);
        EXPECT_DOUBLE_EQ(gangs.show(other, at(1)).round.account_used_s, 0);
        gangs.take_rounds({{other, 8, 8, false}}, at(1));
        gangs.take_rounds({{mine, 4, 8, false}, {other, 4, 8, true}}, at(2));
        EXPECT_DOUBLE_EQ(gangs.show(mine, at(2)).round.account_used_s, 2);
        EXPECT_DOUBLE_EQ(gangs.show(other, at(2)).round.account_used_s, 1);
        EXPECT_DOUBLE_EQ(gangs.show(mine, at(2)).round.account_share, 4);
}

TEST(Gangs, ThatComeLaterAreNotAheadOfThoseThatWereThere) {
        Gangs gangs;
        const auto one = gangs.enter(job(1, "a"), kStart);
        const auto two = gangs.enter(job(1, "b"), kStart);
        gangs.take_rounds({{one, 1, 1, false}, {two, 1, 1, false}}, kStart);
        gangs.take_rounds({}, at(3600));  // two has ended
        gangs.leave(two);
        const auto three = gangs.enter(job(1, "c"), at(3700));
        EXPECT_DOUBLE_EQ(gangs.show(three, at(3700)).round.used_s, 3600);
        gangs.take_rounds({{one, 1, 1, false}, {three, 1, 0, true}}, at(3700));
        EXPECT_DOUBLE_EQ(gangs.show(one, at(3700)).round.used_s, 3600);
        EXPECT_DOUBLE_EQ(gangs.show(three, at(3700)).round.used_s, 3600);
}

}  // namespace
}  // namespace governor::evidence
