// SPDX-License-Identifier: MIT
// When to decide and when to look, on a clock that the test turns.
#include "registry/agenda.hpp"

#include "programs.hpp"

#include <gtest/gtest.h>

namespace governor::registry {
namespace {

using policy::fair::Decision;
using policy::fair::Limit;
using std::chrono::microseconds;
using std::chrono::milliseconds;

Decision limited_by(Limit limit) {
        auto grant = grant_of(ClientId{1}, policy::CpuMask::range(0, 2));
        grant.reason.limit = limit;
        return decision_of({grant});
}

TEST(Agenda, HasNothingToDoBeforeSomethingHappens) {
        const Agenda agenda;
        EXPECT_EQ(agenda.next(), Agenda::kNever);
        EXPECT_FALSE(agenda.is_decision_due(kStart));
        EXPECT_FALSE(agenda.is_poll_due(kStart));
}

TEST(Agenda, DecidesOnTheFirstEventAtOnce) {
        Agenda agenda;
        agenda.want_decision(kStart);
        EXPECT_EQ(agenda.next(), kStart);
        EXPECT_TRUE(agenda.is_decision_due(kStart));
}

TEST(Agenda, RestsBetweenDecisionsOnEvents) {
        Agenda agenda;
        agenda.decided({}, kStart);
        EXPECT_EQ(agenda.next(), Agenda::kNever);
        agenda.want_decision(kStart + microseconds{100});
        agenda.want_decision(kStart + microseconds{900});  // does not put it off
        EXPECT_EQ(agenda.next(), kStart + Agenda::kRest);
        EXPECT_FALSE(agenda.is_decision_due(kStart + microseconds{999}));
        EXPECT_TRUE(agenda.is_decision_due(kStart + Agenda::kRest));
}

TEST(Agenda, DecidesAtOnceAfterARest) {
        Agenda agenda;
        agenda.decided({}, kStart);
        agenda.want_decision(kStart + milliseconds{5});
        EXPECT_EQ(agenda.next(), kStart + milliseconds{5});
}

TEST(Agenda, DecidesOnASampleAlsoWithoutARest) {
        Agenda agenda;
        agenda.decided({}, kStart);
        agenda.sampled(kStart + microseconds{1});
        EXPECT_TRUE(agenda.is_decision_due(kStart + microseconds{1}));
}

TEST(Agenda, DecidesAgainWhenTimeAloneChangesIt) {
        Agenda agenda;
        Decision decision;
        decision.again = kStart + milliseconds{700};
        agenda.decided(decision, kStart);
        EXPECT_EQ(agenda.next(), kStart + milliseconds{700});
        agenda.want_decision(kStart + milliseconds{10});
        EXPECT_EQ(agenda.next(), kStart + milliseconds{10});
        decision.again = kStart;  // is over: not a loop without a rest
        agenda.decided(decision, kStart + milliseconds{10});
        EXPECT_EQ(agenda.next(), kStart + milliseconds{10} + Agenda::kRest);
}

TEST(Agenda, LooksAtReportsWhileSomebodyWaits) {
        for (const auto limit : {Limit::Handover, Limit::Newcomer, Limit::Idle}) {
                Agenda agenda;
                agenda.decided(limited_by(limit), kStart);
                EXPECT_EQ(agenda.next(), kStart + Agenda::kPoll);
                EXPECT_FALSE(agenda.is_poll_due(kStart + Agenda::kPoll - microseconds{1}));
                EXPECT_TRUE(agenda.is_poll_due(kStart + Agenda::kPoll));
                agenda.polled(false, kStart + Agenda::kPoll);
                EXPECT_EQ(agenda.next(), kStart + 2 * Agenda::kPoll);
                agenda.decided(limited_by(Limit::FairShare), kStart + milliseconds{30});
                EXPECT_EQ(agenda.next(), Agenda::kNever);
        }
}

TEST(Agenda, DoesNotPutOffALookByDecisions) {
        Agenda agenda;
        agenda.decided(limited_by(Limit::Handover), kStart);
        agenda.decided(limited_by(Limit::Handover), kStart + milliseconds{20});
        EXPECT_EQ(agenda.next(), kStart + Agenda::kPoll);
}

TEST(Agenda, DecidesOnReportsThatMatter) {
        Agenda agenda;
        agenda.decided(limited_by(Limit::Handover), kStart);
        agenda.polled(false, kStart + milliseconds{25});
        EXPECT_FALSE(agenda.is_decision_due(kStart + milliseconds{25}));
        agenda.polled(true, kStart + milliseconds{50});
        EXPECT_TRUE(agenda.is_decision_due(kStart + milliseconds{50}));
}

}  // namespace
}  // namespace governor::registry
