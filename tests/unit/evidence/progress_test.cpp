// SPDX-License-Identifier: MIT
// The conclusions from the progress that programs report.
#include "evidence/progress.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace governor::evidence {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

/// After so long on so many CPUs.
Served served(nanoseconds time, double cpus = 4) { return {time, time * cpus}; }

/// A program of a thousand steps, of each of which one part in K + 1 is serial.
class Amdahl {
public:
        explicit Amdahl(double k) : k_(k) {}

        /// Steps until `done`, in its turn.
        void work(Progress& progress, std::uint64_t done, double cpus) {
                for (; done_ < done; done_++) {
                        progress.report(done_, 1'000, served_);
                        const auto step = std::chrono::duration_cast<nanoseconds>(
                                milliseconds(100) * (1 + k_ / cpus));
                        served_.time += step;
                        served_.cpu_time += step * cpus;
                }
                progress.report(done_, 1'000, served_);
        }
        [[nodiscard]] nanoseconds time() const { return served_.time; }

private:
        double k_;
        std::uint64_t done_ = 0;
        Served served_;
};

TEST(Progress, WhoSaysNothingIsNotKnown) {
        const Progress progress;
        EXPECT_EQ(progress.remaining(seconds(5)), std::nullopt);
        EXPECT_FALSE(progress.is_on_trial(seconds(5)));
}

TEST(Progress, WhatRemainsGoesAsFastAsWhatIsDone) {
        Progress progress;
        progress.report(0, 100, served(seconds(0)));
        EXPECT_TRUE(progress.is_on_trial(seconds(0)));
        progress.report(10, 100, served(seconds(1)));
        progress.report(20, 100, served(seconds(2)));
        EXPECT_EQ(progress.remaining(seconds(2)), seconds(8));
        EXPECT_EQ(progress.remaining(seconds(3)), seconds(7)) << "time goes on";
        EXPECT_FALSE(progress.is_on_trial(seconds(2)));
}

TEST(Progress, ItIsOnTrialOnlyForSoLong) {
        Progress progress;
        progress.report(0, 100, served(seconds(3)));
        EXPECT_TRUE(progress.is_on_trial(seconds(3) + numbers::kWindow - milliseconds(1)));
        EXPECT_FALSE(progress.is_on_trial(seconds(3) + numbers::kWindow));
}

TEST(Progress, WhoNeedsFarLongerThanItSaidIsNotBelieved) {
        Progress progress;
        progress.report(0, 100, served(seconds(0)));
        progress.report(90, 100, served(seconds(1)));
        progress.report(99, 100, served(milliseconds(1'100)));
        ASSERT_TRUE(progress.remaining(milliseconds(1'100)));
        progress.report(99, 100, served(seconds(10)));
        EXPECT_EQ(progress.remaining(seconds(10)), std::nullopt);
        progress.report(100, 100, served(seconds(11)));
        EXPECT_EQ(progress.remaining(seconds(11)), std::nullopt);
        EXPECT_FALSE(progress.is_on_trial(seconds(11)));
}

TEST(Progress, TheShortestPromiseCounts) {
        Progress progress;
        progress.report(0, 1'000, served(seconds(0)));
        progress.report(1, 1'000, served(seconds(1)));
        progress.report(2, 1'000, served(seconds(2)));
        ASSERT_GT(progress.remaining(seconds(2)), seconds(900));
        progress.report(990, 1'000, served(seconds(3)));
        ASSERT_LT(progress.remaining(seconds(3)), seconds(1));
        progress.report(991, 1'000, served(seconds(12)));
        EXPECT_EQ(progress.remaining(seconds(12)), std::nullopt);
}

TEST(Progress, WhoIsHonestIsBelievedOnHoweverManyCpus) {
        for (const double k : {0.1, 1.0, 19.0, 1'000.0})
                for (const auto& cpus : {std::initializer_list<double>{64, 9},
                                         {9, 64},
                                         {64, 1},
                                         {1, 64},
                                         {64, 9, 64, 9},
                                         {1, 64, 1, 64, 1},
                                         {2, 3, 64}}) {
                        Progress progress;
                        Amdahl program(k);
                        std::uint64_t done = 0;
                        for (const auto n : cpus) {
                                done += 10;
                                program.work(progress, done, n);
                                EXPECT_TRUE(progress.remaining(program.time()))
                                        << k << ' ' << n << " at first";
                        }
                        const auto part = (1'000 - done) / cpus.size();
                        for (const auto n : cpus) {
                                program.work(progress, done += part, n);
                                EXPECT_TRUE(progress.remaining(program.time())) << k << ' ' << n;
                        }
                }
}

TEST(Progress, WhatIsDoneOutsideOfItsTurnsIsNotItsPace) {
        Progress progress;
        progress.report(0, 1'000, served(seconds(0)));
        progress.report(10, 1'000, served(seconds(1)));
        progress.report(20, 1'000, served(seconds(2)));
        for (std::uint64_t done = 21; done <= 500; done++)
                progress.report(done, 1'000, served(seconds(2)));
        EXPECT_EQ(progress.remaining(seconds(2)), seconds(50));
        progress.report(510, 1'000, served(seconds(3)));
        EXPECT_EQ(progress.remaining(seconds(3)), seconds(49));
}

TEST(Progress, AStepThatEndsJustAfterTheTurnIsLeftOutWithItsTime) {
        Progress progress;
        for (std::uint64_t done = 0; done <= 5; done++)
                progress.report(done, 10, served(seconds(5 * done)));
        progress.report(5, 10, served(milliseconds(29'900)));
        progress.report(6, 10, served(milliseconds(29'900)));
        EXPECT_EQ(progress.remaining(milliseconds(29'900)), seconds(20));
}

TEST(Progress, WhoGoesBackIsNotBelieved) {
        Progress progress;
        progress.report(0, 100, served(seconds(0)));
        progress.report(50, 100, served(seconds(1)));
        progress.report(97, 100, served(seconds(2)));
        ASSERT_TRUE(progress.remaining(seconds(2)));
        progress.report(3, 100, served(seconds(3)));
        EXPECT_EQ(progress.remaining(seconds(3)), std::nullopt) << "it was a phase, not all";
        progress.report(40, 100, served(seconds(4)));
        EXPECT_EQ(progress.remaining(seconds(4)), std::nullopt);
        EXPECT_FALSE(progress.is_on_trial(seconds(4)));
}

TEST(Progress, WhoSaysNothingAnyMoreIsNotKnown) {
        Progress progress;
        for (std::uint64_t done = 0; done <= 5; done++)
                progress.report(done, 10, served(milliseconds(100 * done)));
        ASSERT_TRUE(progress.remaining(milliseconds(500)));
        progress.report(0, 0, served(seconds(1)));
        EXPECT_EQ(progress.remaining(seconds(1)), std::nullopt);
        EXPECT_FALSE(progress.is_on_trial(seconds(1)));
        progress.report(6, 10, served(milliseconds(1'200)));
        EXPECT_TRUE(progress.remaining(milliseconds(1'200))) << "it says so again";
}

TEST(Progress, NoNumberIsTooLarge) {
        Progress progress;
        progress.report(1, ~0ULL, served(seconds(1)));
        progress.report(2, ~0ULL, served(seconds(2)));
        EXPECT_GE(progress.remaining(seconds(2)), seconds(999'999'999));
}

}  // namespace
}  // namespace governor::evidence
