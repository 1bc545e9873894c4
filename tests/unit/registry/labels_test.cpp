// SPDX-License-Identifier: MIT
// The facts that the registry keeps about programs of one name.
#include "registry/labels.hpp"

#include <chrono>
#include <gtest/gtest.h>

namespace governor::registry {
namespace {

using policy::TimePoint;
using policy::fair::Scaling;
using std::chrono::seconds;

const policy::Account kOne = policy::Account{1000};
const policy::Account kOther = policy::Account{1001};

Scaling scaling_of(std::size_t octave, double elasticity) {
        Scaling scaling;
        scaling.learn(octave, elasticity);
        return scaling;
}

TEST(Labels, AreOfOneAccountEach) {
        Labels labels;
        labels.learn(kOne, "a").regions = {3, 4};
        ASSERT_NE(labels.find(kOne, "a"), nullptr);
        EXPECT_EQ(labels.find(kOther, "a"), nullptr);
        EXPECT_EQ(labels.find(kOne, "b"), nullptr);
}

TEST(Labels, OneAccountKeepsThoseThatItLearnedOfLast) {
        Labels labels;
        labels.learn(kOther, "its own");
        for (std::size_t i = 0; i < Labels::kOfAccount; i++)
                labels.learn(kOne, std::to_string(i));
        labels.learn(kOne, "0");
        labels.learn(kOne, "one more");
        EXPECT_EQ(labels.size(), Labels::kOfAccount + 1);
        EXPECT_NE(labels.find(kOne, "0"), nullptr);
        EXPECT_EQ(labels.find(kOne, "1"), nullptr);
        EXPECT_NE(labels.find(kOther, "its own"), nullptr);
}

TEST(Labels, ThereAreNoMoreThanSoMany) {
        Labels labels;
        for (std::uint32_t i = 0; i < Labels::kMost + 10; i++)
                labels.learn(policy::Account{i}, "a");
        EXPECT_EQ(labels.size(), Labels::kMost);
        EXPECT_EQ(labels.find(policy::Account{0}, "a"), nullptr);
}

TEST(KnownLabel, HasALengthIfTheLastTwoWereAlike) {
        Labels::Known known;
        EXPECT_FALSE(known.length());
        known.regions = {0, 100};
        EXPECT_FALSE(known.length());
        known.regions = {100, 90};
        EXPECT_EQ(known.length(), 100U);
        known.regions = {100, 50};
        EXPECT_FALSE(known.length());
}

TEST(KnownLabel, CountsAsFarUpAsWasMeasuredSince) {
        const TimePoint now{seconds(1'000)};
        Labels::Known known;
        known.measured(scaling_of(1, 0.9), 1, 1, now);
        known.measured(scaling_of(4, 0.6), 4, 4, now);
        EXPECT_TRUE(known.since(now).elasticity(4));
        EXPECT_TRUE(known.since(now).elasticity(1));
        const auto later = now + seconds(1);
        EXPECT_EQ(known.since(later), Scaling{});
        known.measured(scaling_of(1, 0.9), 1, 1, later);
        EXPECT_TRUE(known.since(later).elasticity(1));
        EXPECT_FALSE(known.since(later).elasticity(4)) << "few CPUs say nothing of many";
        EXPECT_TRUE(known.since(now).elasticity(4));
}

TEST(KnownLabel, ThatHasChangedIsForgotten) {
        const TimePoint now{seconds(1'000)};
        Labels::Known known;
        for (std::size_t i = 0; i < 5; i++)
                known.measured(scaling_of(i, 1), i, i, now);
        known.measured(scaling_of(4, 0.8), 4, 4, now);
        EXPECT_TRUE(known.scaling.elasticity(2)) << "about the same";
        known.measured(scaling_of(4, 0.1), 4, 4, now);
        EXPECT_FALSE(known.scaling.elasticity(2));
        EXPECT_TRUE(known.scaling.elasticity(4));
}

}  // namespace
}  // namespace governor::registry
