// SPDX-License-Identifier: MIT
// The times of decisions and of looks, on a clock that the test turns.
#include "registry/schedule.hpp"

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

TEST(Schedule, HasNothingToDoBeforeSomethingHappens) {
        const Schedule schedule(kStart);
        EXPECT_EQ(schedule.next(), Schedule::kNever);
        EXPECT_FALSE(schedule.is_decision_due(kStart));
        EXPECT_FALSE(schedule.is_poll_due(kStart));
}

TEST(Schedule, DecidesOnTheFirstEventAtOnce) {
        Schedule schedule(kStart);
        schedule.want_decision(kStart);
        EXPECT_EQ(schedule.next(), kStart);
        EXPECT_TRUE(schedule.is_decision_due(kStart));
}

TEST(Schedule, RestsBetweenDecisionsOnEvents) {
        Schedule schedule(kStart);
        schedule.decided({}, kStart);
        EXPECT_EQ(schedule.next(), Schedule::kNever);
        schedule.want_decision(kStart + microseconds{100});
        schedule.want_decision(kStart + microseconds{900});  // does not put it off
        EXPECT_EQ(schedule.next(), kStart + numbers::kRest);
        EXPECT_FALSE(schedule.is_decision_due(kStart + microseconds{999}));
        EXPECT_TRUE(schedule.is_decision_due(kStart + numbers::kRest));
}

TEST(Schedule, LooksSoonerWhereATeamDoesNothingUntilOthersHaveLeft) {
        auto decision = limited_by(Limit::Handover);
        decision.grants[0].parked = true;
        decision.rounds.emplace_back();
        Schedule schedule(kStart);
        schedule.decided(decision, kStart);
        EXPECT_EQ(schedule.next(), kStart + milliseconds{1});
        schedule.polled(false, kStart + milliseconds{160});
        EXPECT_EQ(schedule.next(), kStart + milliseconds{176});
        schedule.polled(false, kStart + milliseconds{1600});
        EXPECT_EQ(schedule.next(), kStart + milliseconds{1625});
        schedule.decided(limited_by(Limit::Handover), kStart + milliseconds{1600});
        schedule.polled(false, kStart + milliseconds{1700});
        EXPECT_EQ(schedule.next(), kStart + milliseconds{1725});
}

TEST(Schedule, RestsForTenTimesWhatADecisionTook) {
        Schedule schedule(kStart);
        schedule.decided({}, kStart);
        schedule.took(milliseconds{3});
        schedule.want_decision(kStart + milliseconds{4});
        EXPECT_EQ(schedule.next(), kStart + milliseconds{30});
        schedule.decided({}, kStart + milliseconds{30});
        schedule.took(microseconds{50});
        schedule.want_decision(kStart + milliseconds{30});
        EXPECT_EQ(schedule.next(), kStart + milliseconds{30} + numbers::kRest);
}

TEST(Schedule, RestsAlsoBeforeADecisionThatTimeAloneCauses) {
        Schedule schedule(kStart);
        Decision decision;
        decision.again = kStart + milliseconds{2};
        schedule.decided(decision, kStart);
        schedule.took(milliseconds{3});
        EXPECT_EQ(schedule.next(), kStart + milliseconds{30});
        schedule.sampled(kStart + milliseconds{5});
        EXPECT_EQ(schedule.next(), kStart + milliseconds{5}) << "a sample is decided on at once";
        schedule.decided(decision, kStart + milliseconds{5});
        EXPECT_EQ(schedule.next(), kStart + milliseconds{35});
}

TEST(Schedule, DecidesAtOnceAfterARest) {
        Schedule schedule(kStart);
        schedule.decided({}, kStart);
        schedule.want_decision(kStart + milliseconds{5});
        EXPECT_EQ(schedule.next(), kStart + milliseconds{5});
}

TEST(Schedule, DecidesOnASampleAlsoWithoutARest) {
        Schedule schedule(kStart);
        schedule.decided({}, kStart);
        schedule.sampled(kStart + microseconds{1});
        EXPECT_TRUE(schedule.is_decision_due(kStart + microseconds{1}));
}

TEST(Schedule, DecidesAgainWhenTimeAloneChangesIt) {
        Schedule schedule(kStart);
        Decision decision;
        decision.again = kStart + milliseconds{700};
        schedule.decided(decision, kStart);
        EXPECT_EQ(schedule.next(), kStart + milliseconds{700});
        schedule.want_decision(kStart + milliseconds{10});
        EXPECT_EQ(schedule.next(), kStart + milliseconds{10});
        decision.again = kStart;  // is over: not a loop without a rest
        schedule.decided(decision, kStart + milliseconds{10});
        EXPECT_EQ(schedule.next(), kStart + milliseconds{10} + numbers::kRest);
}

TEST(Schedule, LooksAtReportsWhileSomebodyWaits) {
        for (const auto limit : {Limit::Handover, Limit::Newcomer, Limit::Idle}) {
                Schedule schedule(kStart);
                schedule.decided(limited_by(limit), kStart);
                EXPECT_EQ(schedule.next(), kStart + numbers::kPoll);
                EXPECT_FALSE(schedule.is_poll_due(kStart + numbers::kPoll - microseconds{1}));
                EXPECT_TRUE(schedule.is_poll_due(kStart + numbers::kPoll));
                schedule.polled(false, kStart + numbers::kPoll);
                EXPECT_EQ(schedule.next(), kStart + 2 * numbers::kPoll);
                schedule.decided(limited_by(Limit::FairShare), kStart + milliseconds{30});
                EXPECT_EQ(schedule.next(), Schedule::kNever);
        }
}

/// The time from each look to the next, for as long as nothing happens.
std::vector<std::chrono::nanoseconds> pauses(Schedule& schedule, TimePoint until) {
        std::vector<std::chrono::nanoseconds> pauses;
        for (auto at = schedule.next(); at < until; at = schedule.next()) {
                schedule.polled(false, at);
                pauses.push_back(schedule.next() - at);
        }
        return pauses;
}

TEST(Schedule, LooksLessOftenTheLongerThoseWhoLendWantNothingBack) {
        Schedule schedule(kStart);
        schedule.decided(limited_by(Limit::Idle), kStart);
        EXPECT_EQ(pauses(schedule, kStart + milliseconds{250}),
                  std::vector(9, std::chrono::nanoseconds{numbers::kPoll}));
        EXPECT_TRUE(std::ranges::is_sorted(pauses(schedule, kStart + milliseconds{1100})));
        for (const auto pause : pauses(schedule, kStart + milliseconds{3000}))
                EXPECT_EQ(pause, numbers::kTick);
}

TEST(Schedule, NeverLooksLaterThanATenthOfTheTimeThatNothingHappened) {
        Schedule schedule(kStart);
        schedule.decided(limited_by(Limit::Idle), kStart);
        for (auto at = schedule.next(); at < kStart + std::chrono::seconds{5};
             at = schedule.next()) {
                schedule.polled(false, at);
                EXPECT_LE(schedule.next() - at,
                          std::max<std::chrono::nanoseconds>(numbers::kPoll, (at - kStart) / 10));
        }
}

TEST(Schedule, LooksOftenAgainAsSoonAsSomebodyWantsSomethingBack) {
        Schedule schedule(kStart);
        schedule.decided(limited_by(Limit::Idle), kStart);
        (void)pauses(schedule, kStart + milliseconds{3000});
        const auto at = schedule.next();
        schedule.polled(true, at);
        EXPECT_EQ(schedule.next(), at) << "to decide";
        schedule.decided(limited_by(Limit::Idle), at);
        EXPECT_EQ(schedule.next(), at + numbers::kPoll);
}

TEST(Schedule, LooksOftenAgainWhenSomebodyElseLends) {
        Schedule schedule(kStart);
        auto decision = limited_by(Limit::Idle);
        schedule.decided(decision, kStart);
        (void)pauses(schedule, kStart + milliseconds{3000});
        const auto again = schedule.next() - milliseconds{60};
        schedule.decided(decision, again);
        EXPECT_GT(schedule.next(), again + numbers::kPoll) << "the same as before";
        decision.grants.push_back(decision.grants.front());
        decision.grants.back().id = ProgramId{2};
        schedule.decided(decision, again);
        EXPECT_EQ(schedule.next(), again + numbers::kPoll);
}

TEST(Schedule, LooksOftenForThoseWhoWaitHoweverLongOthersHaveLent) {
        Schedule schedule(kStart);
        auto decision = limited_by(Limit::Idle);
        schedule.decided(decision, kStart);
        (void)pauses(schedule, kStart + milliseconds{3000});
        decision.grants.push_back(limited_by(Limit::Handover).grants.front());
        decision.grants.back().id = ProgramId{2};
        const auto at = schedule.next() - milliseconds{60};
        schedule.decided(decision, at);
        EXPECT_EQ(schedule.next(), at + numbers::kPoll);
        schedule.polled(false, at + numbers::kPoll);
        EXPECT_EQ(schedule.next(), at + 2 * numbers::kPoll);
}

TEST(Schedule, DoesNotPutOffALookByDecisions) {
        Schedule schedule(kStart);
        schedule.decided(limited_by(Limit::Handover), kStart);
        schedule.decided(limited_by(Limit::Handover), kStart + milliseconds{20});
        EXPECT_EQ(schedule.next(), kStart + numbers::kPoll);
}

TEST(Schedule, DecidesOnReportsThatMatter) {
        Schedule schedule(kStart);
        schedule.decided(limited_by(Limit::Handover), kStart);
        schedule.polled(false, kStart + milliseconds{25});
        EXPECT_FALSE(schedule.is_decision_due(kStart + milliseconds{25}));
        schedule.polled(true, kStart + milliseconds{50});
        EXPECT_TRUE(schedule.is_decision_due(kStart + milliseconds{50}));
}

/// By a limit that others have a part in.
Decision contended(Limit limit, std::uint32_t programs) {
        auto decision = limited_by(limit);
        decision.grants[0].reason.programs = programs;
        return decision;
}

TEST(Schedule, WatchesWhoIsStoppedWhileOthersCouldUseHisCpus) {
        for (const auto limit : {Limit::FairShare, Limit::Floor, Limit::Quota}) {
                Schedule schedule(kStart);
                schedule.decided(contended(limit, 2), kStart);
                EXPECT_EQ(schedule.next(), kStart + numbers::kTick);
                EXPECT_TRUE(schedule.is_watch_due(kStart + numbers::kTick));
                schedule.decided(contended(limit, 2), kStart + milliseconds{70});
                EXPECT_TRUE(schedule.is_watch_due(kStart + numbers::kTick)) << "not put off";
                schedule.watched(false, kStart + numbers::kTick);
                EXPECT_EQ(schedule.next(), kStart + 2 * numbers::kTick);
                schedule.watched(true, kStart + 2 * numbers::kTick);
                EXPECT_TRUE(schedule.is_decision_due(kStart + 2 * numbers::kTick));
        }
}

TEST(Schedule, WatchesWhereFewShareTheMachine) {
        auto decision = contended(Limit::FairShare, 2);
        decision.grants.resize(numbers::kMostWatched, decision.grants[0]);
        Schedule schedule(kStart);
        schedule.decided(decision, kStart);
        EXPECT_EQ(schedule.next(), kStart + numbers::kTick);
        auto lends = limited_by(Limit::Idle);
        decision.grants.resize(1000, lends.grants[0]);
        decision.grants[999].shared = true;
        decision.grants[999].reason.limit = Limit::Light;
        schedule.decided(decision, kStart + milliseconds{10});
        EXPECT_LE(schedule.next(), kStart + numbers::kTick) << "others hold nothing";
        EXPECT_TRUE(schedule.is_watch_due(kStart + numbers::kTick));
        decision.grants.resize(numbers::kMostWatched + 1);
        decision.grants.back() = decision.grants[0];
        schedule.decided(decision, kStart + milliseconds{20});
        EXPECT_FALSE(schedule.is_watch_due(kStart + numbers::kTick));
}

TEST(Schedule, WatchesNobodyWhoseCpusNobodyWants) {
        for (const auto& decision : {contended(Limit::Everything, 2), contended(Limit::OwnMax, 2),
                                     contended(Limit::FairShare, 1), Decision{}}) {
                Schedule schedule(kStart);
                schedule.decided(contended(Limit::FairShare, 2), kStart);
                schedule.decided(decision, kStart + milliseconds{10});
                EXPECT_EQ(schedule.next(), Schedule::kNever);
        }
}

TEST(Schedule, TicksFromTheStartOn) {
        Schedule schedule(kStart);
        EXPECT_EQ(schedule.next_tick(), kStart);
        EXPECT_EQ(schedule.next(), Schedule::kNever) << "nothing else is due";
        schedule.ticked(kStart);
        EXPECT_EQ(schedule.next_tick(), kStart + numbers::kTick);
        schedule.sampled(kStart + milliseconds{50});
        EXPECT_EQ(schedule.next_tick(), kStart + numbers::kTick) << "not sooner";
}

TEST(Schedule, TicksLessOftenWhereTheyCostMuch) {
        Schedule schedule(kStart);
        schedule.ticked(kStart);
        schedule.tick_took(milliseconds{1});
        schedule.ticked(kStart);
        EXPECT_EQ(schedule.next_tick(), kStart + numbers::kTickTimes * milliseconds{1});
        schedule.tick_took(microseconds{10});
        schedule.ticked(kStart);
        EXPECT_EQ(schedule.next_tick(), kStart + numbers::kTick);
}

}  // namespace
}  // namespace governor::registry
