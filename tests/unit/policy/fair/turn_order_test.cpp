// SPDX-License-Identifier: MIT
// The order of several batch jobs.
#include "policy/fair/turn_order.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace governor::policy::fair {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Order = std::vector<std::size_t>;

const TimePoint kNow{seconds(1000)};

Settings quanta_of_two_seconds() {
        Settings settings;
        settings.turn_quantum = seconds(2);
        return settings;
}

/// It came `age` ago.
Gang gang(std::uint64_t id, seconds age = seconds(10)) {
        Gang gang;
        gang.id = GangId{id};
        gang.joined = kNow - age;
        return gang;
}

Order ordered(const std::vector<Gang>& gangs) {
        Order all(gangs.size());
        std::iota(all.begin(), all.end(), 0);
        return turn_order(quanta_of_two_seconds(), gangs, all, kNow);
}

TEST(TurnOrder, OfThoseThatAreNotKnownTheOldestComesFirst) {
        EXPECT_EQ(ordered({gang(1, seconds(5)), gang(2, seconds(7)), gang(3, seconds(6))}),
                  (Order{1, 2, 0}));
}

TEST(TurnOrder, OfAKindTheOldestGoesOnUntilItEnds) {
        std::vector gangs{gang(1, seconds(3)), gang(2, seconds(9)), gang(3, seconds(6))};
        for (auto& each : gangs)
                each.kind = 5;
        gangs[1].served = seconds(100);
        EXPECT_EQ(ordered(gangs), (Order{1, 2, 0}));
        gangs[1].kind = 6;
        EXPECT_EQ(ordered(gangs), (Order{2, 0, 1})) << "another kind, which is longer";
}

TEST(TurnOrder, WhoNeedsLeastComesFirst) {
        std::vector gangs{gang(1), gang(2), gang(3)};
        gangs[0].remaining = seconds(9);
        gangs[1].remaining = seconds(3);
        gangs[2].remaining = seconds(6);
        EXPECT_EQ(ordered(gangs), (Order{1, 2, 0}));
}

TEST(TurnOrder, OneOnTrialIsTakenForAsLongAsOthersOfItsKind) {
        std::vector gangs{gang(1, seconds(9)), gang(2, seconds(5)), gang(3)};
        gangs[0].remaining = gangs[2].remaining = seconds(3);
        gangs[0].kind = gangs[1].kind = 5;
        gangs[1].is_on_trial = true;
        EXPECT_EQ(ordered(gangs), (Order{2, 0, 1}));
        gangs[1].kind = 6;
        EXPECT_EQ(ordered(gangs), (Order{1, 2, 0})) << "nothing is known of its kind";
}

TEST(TurnOrder, AQuantumThatIsUsedUpIsFollowedByALongerOne) {
        const auto settings = quanta_of_two_seconds();
        auto one = gang(1);
        const auto need = [&](milliseconds served) {
                one.served = served;
                return expected_need(settings, one);
        };
        EXPECT_EQ(need(milliseconds(0)), seconds(2));
        EXPECT_EQ(need(milliseconds(1999)), seconds(2));
        EXPECT_EQ(need(milliseconds(2000)), seconds(8));
        EXPECT_EQ(need(milliseconds(9999)), seconds(8));
        EXPECT_EQ(need(milliseconds(10'000)), seconds(32));
        EXPECT_EQ(need(milliseconds(42'000)), seconds(128));
}

TEST(TurnOrder, WhoHasRunForLongComesBehindThoseWhoHaveNot) {
        std::vector gangs{gang(1, seconds(20)), gang(2)};
        gangs[0].has_turn = true;
        gangs[0].served = milliseconds(1999);
        EXPECT_EQ(ordered(gangs), (Order{0, 1}));
        gangs[0].served = seconds(2);
        EXPECT_EQ(ordered(gangs), (Order{1, 0}));
}

TEST(TurnOrder, OneOnTrialComesBeforeAll) {
        std::vector gangs{gang(1), gang(2)};
        gangs[0].remaining = milliseconds(1);
        gangs[1].is_on_trial = true;
        EXPECT_EQ(ordered(gangs), (Order{1, 0}));
}

TEST(TurnOrder, PatienceEndsAfterTheLongestWait) {
        Settings settings;
        settings.turn_max_wait = seconds(60);
        auto one = gang(1);
        EXPECT_FALSE(is_out_of_patience(settings, one, kNow)) << "it does not wait";
        one.waits_since = kNow - seconds(60);
        EXPECT_TRUE(is_out_of_patience(settings, one, kNow));
        EXPECT_FALSE(is_out_of_patience(settings, one, kNow - milliseconds(1)));
}

TEST(TurnOrder, AHolderIsLookedAtAgainWhereItsQuantumEnds) {
        const auto settings = quanta_of_two_seconds();
        auto one = gang(1);
        one.served = milliseconds(3'500);
        EXPECT_EQ(next_review(settings, one, 1, kNow),
                  kNow + milliseconds(6'500) + std::chrono::nanoseconds(1));
        EXPECT_EQ(next_review(settings, one, 0.5, kNow),
                  kNow + seconds(13) + std::chrono::nanoseconds(1));
        one.remaining = seconds(5);
        EXPECT_EQ(next_review(settings, one, 1, kNow), std::nullopt)
                << "its place only gets better";
        one.is_on_trial = true;
        EXPECT_LE(next_review(settings, one, 1, kNow), kNow + milliseconds(100));
}

}  // namespace
}  // namespace governor::policy::fair
