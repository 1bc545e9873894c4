// SPDX-License-Identifier: MIT
// When to decide and when to look, on a clock that the test turns.
#include "registry/agenda.hpp"

#include "made_up_programs.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace governor::registry {
namespace {

using policy::fair::Decision;
using policy::fair::Limit;
using std::chrono::microseconds;
using std::chrono::milliseconds;

Decision limited_by(Limit limit) {
        auto grant = grant_of(ProgramId{1}, policy::CpuMask::range(0, 2));
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

/// How long from each look to the next, for as long as nothing happens.
std::vector<std::chrono::nanoseconds> pauses(Agenda& agenda, TimePoint until) {
        std::vector<std::chrono::nanoseconds> pauses;
        for (auto at = agenda.next(); at < until; at = agenda.next()) {
                agenda.polled(false, at);
                pauses.push_back(agenda.next() - at);
        }
        return pauses;
}

TEST(Agenda, LooksLessOftenTheLongerThoseWhoLendWantNothingBack) {
        Agenda agenda;
        agenda.decided(limited_by(Limit::Idle), kStart);
        EXPECT_EQ(pauses(agenda, kStart + milliseconds{400}),
                  std::vector(15, std::chrono::nanoseconds{Agenda::kPoll}));
        EXPECT_TRUE(std::ranges::is_sorted(pauses(agenda, kStart + milliseconds{1700})));
        for (const auto pause : pauses(agenda, kStart + milliseconds{3000}))
                EXPECT_EQ(pause, Agenda::kSlowestPoll);
}

TEST(Agenda, NeverLooksLaterThanASixteenthOfTheTimeThatNothingHappened) {
        Agenda agenda;
        agenda.decided(limited_by(Limit::Idle), kStart);
        for (auto at = agenda.next(); at < kStart + std::chrono::seconds{5}; at = agenda.next()) {
                agenda.polled(false, at);
                EXPECT_LE(agenda.next() - at,
                          std::max<std::chrono::nanoseconds>(Agenda::kPoll, (at - kStart) / 16));
        }
}

TEST(Agenda, LooksOftenAgainAsSoonAsSomebodyWantsSomethingBack) {
        Agenda agenda;
        agenda.decided(limited_by(Limit::Idle), kStart);
        (void)pauses(agenda, kStart + milliseconds{3000});
        const auto at = agenda.next();
        agenda.polled(true, at);
        EXPECT_EQ(agenda.next(), at) << "to decide";
        agenda.decided(limited_by(Limit::Idle), at);
        EXPECT_EQ(agenda.next(), at + Agenda::kPoll);
}

TEST(Agenda, LooksOftenAgainWhenSomebodyElseLends) {
        Agenda agenda;
        auto decision = limited_by(Limit::Idle);
        agenda.decided(decision, kStart);
        (void)pauses(agenda, kStart + milliseconds{3000});
        const auto again = agenda.next() - milliseconds{60};
        agenda.decided(decision, again);
        EXPECT_GT(agenda.next(), again + Agenda::kPoll) << "the same as before";
        decision.grants.push_back(decision.grants.front());
        decision.grants.back().id = ProgramId{2};
        agenda.decided(decision, again);
        EXPECT_EQ(agenda.next(), again + Agenda::kPoll);
}

TEST(Agenda, LooksOftenForThoseWhoWaitHoweverLongOthersHaveLent) {
        Agenda agenda;
        auto decision = limited_by(Limit::Idle);
        agenda.decided(decision, kStart);
        (void)pauses(agenda, kStart + milliseconds{3000});
        decision.grants.push_back(limited_by(Limit::Handover).grants.front());
        decision.grants.back().id = ProgramId{2};
        const auto at = agenda.next() - milliseconds{60};
        agenda.decided(decision, at);
        EXPECT_EQ(agenda.next(), at + Agenda::kPoll);
        agenda.polled(false, at + Agenda::kPoll);
        EXPECT_EQ(agenda.next(), at + 2 * Agenda::kPoll);
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

/// By a limit that others have a part in.
Decision contended(Limit limit, std::uint32_t programs) {
        auto decision = limited_by(limit);
        decision.grants[0].reason.programs = programs;
        return decision;
}

TEST(Agenda, WatchesWhoIsStoppedWhileOthersCouldUseHisCpus) {
        for (const auto limit : {Limit::FairShare, Limit::Floor, Limit::Quota}) {
                Agenda agenda;
                agenda.decided(contended(limit, 2), kStart);
                EXPECT_EQ(agenda.next(), kStart + Agenda::kWatch);
                EXPECT_TRUE(agenda.is_watch_due(kStart + Agenda::kWatch));
                agenda.decided(contended(limit, 2), kStart + milliseconds{70});
                EXPECT_TRUE(agenda.is_watch_due(kStart + Agenda::kWatch)) << "not put off";
                agenda.watched(false, kStart + Agenda::kWatch);
                EXPECT_EQ(agenda.next(), kStart + 2 * Agenda::kWatch);
                agenda.watched(true, kStart + 2 * Agenda::kWatch);
                EXPECT_TRUE(agenda.is_decision_due(kStart + 2 * Agenda::kWatch));
        }
}

TEST(Agenda, WatchesWhereFewShareTheMachine) {
        auto decision = contended(Limit::FairShare, 2);
        decision.grants.resize(Agenda::kMostWatched, decision.grants[0]);
        Agenda agenda;
        agenda.decided(decision, kStart);
        EXPECT_EQ(agenda.next(), kStart + Agenda::kWatch);
        auto lends = limited_by(Limit::Idle);
        decision.grants.resize(1000, lends.grants[0]);
        decision.grants[999].shared = true;
        decision.grants[999].reason.limit = Limit::Light;
        agenda.decided(decision, kStart + milliseconds{10});
        EXPECT_LE(agenda.next(), kStart + Agenda::kWatch) << "others hold nothing";
        EXPECT_TRUE(agenda.is_watch_due(kStart + Agenda::kWatch));
        decision.grants.resize(Agenda::kMostWatched + 1);
        decision.grants.back() = decision.grants[0];
        agenda.decided(decision, kStart + milliseconds{20});
        EXPECT_FALSE(agenda.is_watch_due(kStart + Agenda::kWatch));
}

TEST(Agenda, WatchesNobodyWhoseCpusNobodyWants) {
        for (const auto& decision : {contended(Limit::Everything, 2), contended(Limit::OwnMax, 2),
                                     contended(Limit::FairShare, 1), Decision{}}) {
                Agenda agenda;
                agenda.decided(contended(Limit::FairShare, 2), kStart);
                agenda.decided(decision, kStart + milliseconds{10});
                EXPECT_EQ(agenda.next(), Agenda::kNever);
        }
}

}  // namespace
}  // namespace governor::registry
