// SPDX-License-Identifier: MIT
// What is made of what programs say of how far they are.
#include "registry/progress.hpp"

#include <gtest/gtest.h>

namespace governor::registry {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Progress, WhoSaysNothingIsNotKnown) {
        const Progress progress;
        EXPECT_EQ(progress.remaining(seconds(5)), std::nullopt);
        EXPECT_FALSE(progress.is_on_trial(seconds(5)));
}

TEST(Progress, WhatRemainsGoesAsFastAsWhatIsDone) {
        Progress progress;
        progress.report(0, 100, seconds(0));
        EXPECT_TRUE(progress.is_on_trial(seconds(0)));
        progress.report(10, 100, seconds(1));
        progress.report(20, 100, seconds(2));
        EXPECT_EQ(progress.remaining(seconds(2)), seconds(8));
        EXPECT_EQ(progress.remaining(seconds(3)), seconds(7)) << "time goes on";
        EXPECT_FALSE(progress.is_on_trial(seconds(2)));
}

TEST(Progress, ItIsOnTrialOnlyForSoLong) {
        Progress progress;
        progress.report(0, 100, seconds(3));
        EXPECT_TRUE(progress.is_on_trial(seconds(3) + Progress::kLongestTrial - milliseconds(1)));
        EXPECT_FALSE(progress.is_on_trial(seconds(3) + Progress::kLongestTrial));
}

TEST(Progress, WhoNeedsFarLongerThanItSaidIsNotBelieved) {
        Progress progress;
        progress.report(0, 100, seconds(0));
        progress.report(90, 100, seconds(1));
        progress.report(99, 100, milliseconds(1'100));
        ASSERT_TRUE(progress.remaining(milliseconds(1'100)));
        progress.report(99, 100, seconds(10));
        EXPECT_EQ(progress.remaining(seconds(10)), std::nullopt);
        progress.report(100, 100, seconds(11));
        EXPECT_EQ(progress.remaining(seconds(11)), std::nullopt);
        EXPECT_FALSE(progress.is_on_trial(seconds(11)));
}

TEST(Progress, TheShortestPromiseCounts) {
        Progress progress;
        progress.report(0, 1'000, seconds(0));
        progress.report(1, 1'000, seconds(1));
        progress.report(2, 1'000, seconds(2));
        ASSERT_GT(progress.remaining(seconds(2)), seconds(900));
        progress.report(990, 1'000, seconds(3));
        ASSERT_LT(progress.remaining(seconds(3)), seconds(1));
        progress.report(991, 1'000, seconds(12));
        EXPECT_EQ(progress.remaining(seconds(12)), std::nullopt);
}

TEST(Progress, PhasesThatAreDoneAreJudgedOneByOne) {
        Progress progress;
        auto served = milliseconds(0);
        for (int phase = 0; phase < 5; phase++)
                for (std::uint64_t done = 0; done <= 100; done++) {
                        progress.report(done, 100, served);
                        served += milliseconds(50);
                }
        progress.report(50, 100, served);
        progress.report(60, 100, served + seconds(1));
        EXPECT_EQ(progress.remaining(served + seconds(1)), seconds(4));
}

TEST(Progress, WhoTakesBackWhatIsDoneIsOnTrialAgain) {
        Progress progress;
        for (std::uint64_t done = 0; done <= 10; done++)
                progress.report(done, 10, milliseconds(100 * done));
        progress.report(0, 0, seconds(2));
        EXPECT_FALSE(progress.is_on_trial(seconds(2)));
        progress.report(0, 10, seconds(3));
        EXPECT_TRUE(progress.is_on_trial(seconds(3)));
}

TEST(Progress, WhoWasNotBelievedIsNotAfterwards) {
        Progress progress;
        progress.report(0, 100, seconds(0));
        progress.report(90, 100, seconds(1));
        progress.report(99, 100, milliseconds(1'100));
        progress.report(99, 100, seconds(10));
        progress.report(100, 100, seconds(11));
        progress.report(0, 100, seconds(12));
        EXPECT_FALSE(progress.is_on_trial(seconds(12)));
}

TEST(Progress, WhoGoesBackMakesNoPromise) {
        Progress progress;
        progress.report(50, 100, seconds(1));
        progress.report(10, 100, seconds(2));
        EXPECT_EQ(progress.remaining(seconds(2)), std::nullopt);
}

TEST(Progress, NoNumberIsTooLarge) {
        Progress progress;
        progress.report(1, ~0ULL, seconds(1));
        progress.report(2, ~0ULL, seconds(2));
        EXPECT_GE(progress.remaining(seconds(2)), seconds(1'000'000'000));
}

}  // namespace
}  // namespace governor::registry
