// SPDX-License-Identifier: MIT
// The worth of more CPUs, from the octaves that were measured.
#include "policy/fair/scaling.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace governor::policy::fair {
namespace {

double amdahl_speedup(double knee, double cpus) { return cpus * (knee + 1) / (knee + cpus); }

TEST(Scaling, OnlyWhatWasLearnedIsKnown) {
        Scaling scaling;
        EXPECT_EQ(scaling, Scaling{});
        scaling.learn(3, 0.5);
        EXPECT_FALSE(scaling.elasticity(2));
        EXPECT_NEAR(*scaling.elasticity(3), 0.5, 1e-4);
        scaling.learn(3, 7);
        EXPECT_EQ(scaling.elasticity(3), 1);
        scaling.learn(3, -7);
        EXPECT_EQ(scaling.elasticity(3), 0);
}

TEST(Scaling, IsCompletedByAnotherAsFarAsTheTwoGoTogether) {
        Scaling own;
        own.learn(2, 0.8);
        own.learn(4, 0.4);
        Scaling other;
        for (std::size_t i = 0; i < 6; i++)
                other.learn(i, 0.6);
        own.complete(other);
        EXPECT_NEAR(*own.elasticity(1), 0.8, 1e-4) << "no less than with more";
        EXPECT_NEAR(*own.elasticity(2), 0.8, 1e-4) << "its own";
        EXPECT_NEAR(*own.elasticity(3), 0.6, 1e-4);
        EXPECT_NEAR(*own.elasticity(5), 0.4, 1e-4) << "no more than with fewer";
        EXPECT_FALSE(own.elasticity(6));
}

TEST(Scaling, OfAStepIsToldByTheOctaveBelow) {
        EXPECT_EQ(octave_below(2), 0U);
        EXPECT_EQ(octave_below(16), 3U);
        EXPECT_EQ(octave_below(0xffffffff), Scaling::kOctaves - 1);
}

TEST(SpeedupLaw, IsLinearUnlessSomethingElseIsSaid) {
        const SpeedupLaw law;
        for (const double cpus : {0.0, 0.5, 1.0, 3.0, 64.0})
                EXPECT_NEAR(law.of(cpus), cpus, 1e-9);
}

TEST(SpeedupLaw, FollowsAmdahlsFromTheOctavesThatWereMeasured) {
        for (const double knee : {3.0, 9.0, 49.0}) {
                Scaling scaling;
                for (std::size_t i = 0; i < 7; i++)
                        scaling.learn(i, amdahl_elasticity(knee, i));
                const SpeedupLaw law(scaling, 1);
                for (const double cpus : {1.0, 4.0, 16.0, 128.0})
                        EXPECT_NEAR(law.of(cpus) / amdahl_speedup(knee, cpus), 1, 0.02) << knee;
        }
}

TEST(SpeedupLaw, OfOneOctaveTellsTheOthers) {
        constexpr double kKnee = 9;
        Scaling scaling;
        scaling.learn(3, amdahl_elasticity(kKnee, 3));
        const SpeedupLaw law(scaling, 1);
        for (const double cpus : {2.0, 8.0, 64.0})
                EXPECT_NEAR(law.of(cpus) / amdahl_speedup(kKnee, cpus), 1, 0.02);
}

TEST(SpeedupLaw, DoesNotBelieveInWhatIsFarAboveWhatWasMeasured) {
        Scaling scaling;
        scaling.learn(1, 1);
        const SpeedupLaw law(scaling, 1);
        EXPECT_NEAR(law.of(4), 4, 0.01);
        EXPECT_LT(law.elasticity(256), 0.1);
}

TEST(SpeedupLaw, BelowWhatGainsNothingTheFewestAreOfUse) {
        Scaling scaling;
        scaling.learn(5, 0);
        const SpeedupLaw law(scaling, 6.4);
        EXPECT_GT(law.of(8), 3);
        EXPECT_NEAR(law.of(64), law.of(32), 1e-9);
}

TEST(SpeedupLaw, IsConcave) {
        Scaling scaling;
        scaling.learn(2, 0.2);
        scaling.learn(5, 0.9);  // by chance
        const SpeedupLaw law(scaling, 2);
        double before = law.of(1);
        for (double cpus = 1; cpus < 200; cpus++) {
                const auto gain = law.of(cpus + 1) - law.of(cpus);
                EXPECT_LE(gain, before + 1e-9) << cpus;
                before = gain;
        }
}

TEST(Weights, AreEqualForWhatGainsNothing) {
        for (std::size_t i = 1; i < 10; i++)
                EXPECT_NEAR(weight_of(i, 0), 1, 1e-9);
}

/// With k^p CPUs of which each has its part of a whole, as in the article.
TEST(Weights, SplitCpusAsTheArticleSays) {
        constexpr double kP = 0.5;
        constexpr std::size_t kJobs = 3;
        const double q = 1 / (1 - kP);
        double sum = 0;
        for (std::size_t i = 1; i <= kJobs; i++)
                sum += std::pow(weight_of(i, kP), q);
        for (std::size_t i = 1; i <= kJobs; i++) {
                const auto n = static_cast<double>(kJobs);
                const auto rank = static_cast<double>(i);
                const auto part = std::pow(rank / n, q) - std::pow((rank - 1) / n, q);
                EXPECT_NEAR(std::pow(weight_of(i, kP), q) / sum, part, 1e-9);
        }
}

TEST(Weights, OfLinearOnesFallFast) {
        EXPECT_GT(weight_of(2, 1), 1.9);
        EXPECT_NEAR(weight_of(1, 1), 1, 1e-9);
}

}  // namespace
}  // namespace governor::policy::fair
