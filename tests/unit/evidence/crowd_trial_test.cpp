// SPDX-License-Identifier: MIT
#include "evidence/crowd_trial.hpp"

#include "policy/numbers.hpp"
#include "start.hpp"

#include <gtest/gtest.h>

namespace governor::evidence {
namespace {

using Step = CrowdTrial::Step;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr std::optional<double> kRound;

/// A program that reports every 25 ms.
class Tried : public ::testing::Test {
protected:
        /// For so long, with a region in each `period`. True: a step ended.
        bool run(nanoseconds time, nanoseconds period, std::optional<double> parts) {
                bool ended = false;
                for (const auto until = now_ + time; now_ < until;) {
                        now_ += numbers::kPoll;
                        ended_ += static_cast<std::uint64_t>(numbers::kPoll / period);
                        ended = trial_.report(ended_, parts, now_) || ended;
                }
                return ended;
        }
        [[nodiscard]] Step step() const { return trial_.result().step; }

        CrowdTrial trial_;
        policy::TimePoint now_ = kStart;
        std::uint64_t ended_ = 0;
};

TEST_F(Tried, ComparesTheCrowdWithRounds) {
        EXPECT_FALSE(run(milliseconds(300), microseconds(300), 2));
        EXPECT_EQ(step(), Step::Crowd);
        EXPECT_TRUE(run(milliseconds(25), microseconds(300), 2));
        EXPECT_EQ(step(), Step::Rounds);
        EXPECT_FALSE(trial_.result().gain);
        EXPECT_FALSE(run(milliseconds(100), microseconds(300), kRound))
                << "its threads still sleep";
        EXPECT_TRUE(run(milliseconds(100), microseconds(100), kRound));
        EXPECT_EQ(step(), Step::Done);
        ASSERT_TRUE(trial_.result().gain);
        EXPECT_NEAR(*trial_.result().gain, 2. / 3, 0.01);
}

/// In rounds of 25 ms, each with a report when it is over.
TEST_F(Tried, CountsNoWaitForItsRound) {
        run(milliseconds(325), microseconds(250), 2);
        run(milliseconds(100), microseconds(125), kRound);
        for (int i = 0; i < 4 && step() == Step::Rounds; i++) {
                trial_.parked(true, now_);
                now_ += milliseconds(200);
                trial_.parked(false, now_);
                run(milliseconds(25), microseconds(125), kRound);
        }
        ASSERT_TRUE(trial_.result().gain);
        EXPECT_NEAR(*trial_.result().gain, 1, 0.01);
}

/// The region in which it is parked ends later.
TEST_F(Tried, CountsWhatEndsWhenItIsParked) {
        run(milliseconds(325), milliseconds(1), 2);
        run(milliseconds(125), microseconds(500), kRound);
        trial_.parked(true, now_ + milliseconds(25));
        now_ += milliseconds(100);
        ended_ += 50;
        EXPECT_FALSE(trial_.report(ended_, kRound, now_));
        trial_.parked(false, now_);
        EXPECT_TRUE(run(milliseconds(50), microseconds(500), kRound));
        ASSERT_TRUE(trial_.result().gain);
        EXPECT_NEAR(*trial_.result().gain, 1, 0.01);
}

TEST_F(Tried, MeasuresACrowdInACrowdOnly) {
        EXPECT_FALSE(run(milliseconds(1'000), microseconds(250), kRound)) << "alone";
        run(milliseconds(325), microseconds(500), 2);
        EXPECT_FALSE(run(milliseconds(1'000), microseconds(500), 2)) << "still in it";
        EXPECT_EQ(step(), Step::Rounds);
}

TEST_F(Tried, LeavesLongRegionsWhereTheyAre) {
        EXPECT_TRUE(run(milliseconds(325), milliseconds(25), 2));
        EXPECT_EQ(step(), Step::Done);
        EXPECT_FALSE(trial_.result().gain);
}

TEST_F(Tried, WaitsNotForEverForRounds) {
        run(milliseconds(325), microseconds(500), 2);
        EXPECT_TRUE(run(numbers::kMemory, microseconds(500), 2));
        EXPECT_EQ(step(), Step::Done);
        EXPECT_FALSE(trial_.result().gain);
}

TEST_F(Tried, KnowsNoGainFromASerialPart) {
        run(milliseconds(325), microseconds(500), 2);
        EXPECT_TRUE(run(milliseconds(200), std::chrono::hours(1), kRound));
        EXPECT_FALSE(trial_.result().gain);
}

TEST_F(Tried, BelievesNoLies) {
        ended_ = std::uint64_t{1} << 62;
        run(milliseconds(25), microseconds(500), 2);
        ended_ = 0;
        run(milliseconds(325), nanoseconds(1), 2);
        EXPECT_EQ(step(), Step::Rounds) << "it went backwards once";
        run(milliseconds(200), microseconds(100), kRound);
        ASSERT_TRUE(trial_.result().gain);
        EXPECT_EQ(*trial_.result().gain, 2) << "a crowd gains no more than all others' time";
        trial_ = {};
        run(milliseconds(25), microseconds(500), 2);
        ended_ += std::uint64_t{1} << 60;
        run(milliseconds(325), microseconds(500), 2);
        EXPECT_EQ(step(), Step::Done) << "no time at all for each";
}

TEST_F(Tried, ForgetsHowManyThereWere) {
        run(milliseconds(325), microseconds(600), 4);
        run(milliseconds(200), microseconds(150), kRound);
        run(numbers::kCrowdMemory, microseconds(150), kRound);
        run(milliseconds(325), microseconds(300), 2);
        run(milliseconds(200), microseconds(100), kRound);
        ASSERT_TRUE(trial_.result().gain);
        EXPECT_NEAR(*trial_.result().gain, 2. / 3, 0.01);
}

TEST_F(Tried, SaysThatItHasLeftTheCrowd) {
        run(milliseconds(325), microseconds(500), 2);
        EXPECT_FALSE(trial_.result().has_left);
        run(milliseconds(25), microseconds(500), kRound);
        EXPECT_TRUE(trial_.result().has_left);
        run(milliseconds(200), microseconds(500), kRound);
        EXPECT_FALSE(trial_.result().has_left);
}

TEST_F(Tried, ForgetsInTheEnd) {
        run(milliseconds(325), microseconds(500), 2);
        run(milliseconds(200), microseconds(125), kRound);
        EXPECT_FALSE(run(numbers::kCrowdMemory - milliseconds(100), microseconds(125), kRound));
        EXPECT_TRUE(trial_.result().gain);
        run(milliseconds(100), microseconds(125), kRound);
        EXPECT_EQ(step(), Step::Crowd);
        EXPECT_FALSE(trial_.result().gain);
}

}  // namespace
}  // namespace governor::evidence
