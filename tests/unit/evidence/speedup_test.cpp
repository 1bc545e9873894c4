// SPDX-License-Identifier: MIT
// What is made of how long regions take.
#include "evidence/speedup.hpp"

#include "policy/time_point.hpp"
#include "start.hpp"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

namespace governor::evidence {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr auto kAllPay = std::numeric_limits<std::uint32_t>::max();

double amdahl(double serial, std::uint32_t cpus) { return serial + (1 - serial) / cpus; }

/// A program whose reports are read ten times a second.
class SpeedupTest : public ::testing::Test {
protected:
        using Law = std::function<double(std::uint32_t cpus)>;  // of one on one CPU

        void run(std::uint32_t cpus, nanoseconds span) {
                for (const auto end = now_ + span; now_ < end;) {
                        now_ += milliseconds(100);
                        const auto region_ns =
                                static_cast<std::uint64_t>(region_s_ * 1e9 * law_(cpus));
                        totals_.cpus = cpus;
                        inside_ns_ += 100'000'000 / part_inside_;
                        const auto count = inside_ns_ / region_ns;
                        inside_ns_ %= region_ns;
                        totals_.regions += count;
                        totals_.time_ns += count * region_ns;
                        speedup_.report(totals_, now_);
                }
        }

        [[nodiscard]] std::uint32_t knee() const { return speedup_.knee(now_); }
        /// 0: all pay, as far as is known.
        [[nodiscard]] std::uint32_t enough() const {
                EXPECT_EQ(speedup_.enough(now_) > 0, knee() > 0);
                return speedup_.enough(now_);
        }

        Speedup speedup_;
        Law law_ = [](std::uint32_t cpus) { return 1.0 / cpus; };
        double region_s_ = 0.016;
        std::uint64_t part_inside_ = 1;
        Speedup::Totals totals_;
        std::uint64_t inside_ns_ = 0;
        TimePoint now_ = kStart;
};

TEST(Knee, IsWhereHalfOfTheTimeIsOfUse) {
        for (const double serial : {0.5, 0.25, 0.1, 0.05, 0.02, 0.01}) {
                const auto found = knee_of(4, amdahl(serial, 4), 8, amdahl(serial, 8));
                EXPECT_EQ(found, static_cast<std::uint32_t>(std::lround(1 / serial)) - 1);
                const double useful = 1 / amdahl(serial, found) / found;
                EXPECT_NEAR(useful, 0.5 / (1 - serial), 0.01) << serial;
        }
}

TEST(Knee, OfALinearProgramIsNowhere) {
        EXPECT_EQ(knee_of(4, 2, 8, 1), kAllPay);
        EXPECT_EQ(knee_of(4, 3, 8, 1), kAllPay) << "even more than linear";
}

TEST(Knee, OfOneThatIsNoFasterIsBelowAll) {
        EXPECT_EQ(knee_of(4, 1, 8, 1), 0U);
        EXPECT_EQ(knee_of(4, 1, 8, 2), 0U) << "slower";
}

TEST_F(SpeedupTest, IsNotKnownOfOneSize) {
        run(16, seconds(20));
        EXPECT_EQ(enough(), 0U);
        EXPECT_FALSE(speedup_.is_known(16, now_));
        EXPECT_EQ(speedup_.region_time(16, now_), milliseconds(1));
        EXPECT_EQ(speedup_.region_time(8, now_), std::nullopt);
}

TEST_F(SpeedupTest, AllPaysWhoIsLinear) {
        run(16, seconds(5));
        run(8, milliseconds(300));
        EXPECT_EQ(enough(), 0U);
        EXPECT_TRUE(speedup_.is_known(16, now_));
        EXPECT_FALSE(speedup_.is_known(8, now_)) << "that is not compared with fewer";
        EXPECT_FALSE(speedup_.is_known(32, now_));
}

TEST_F(SpeedupTest, WhoIsNoFasterWithMoreIsLookedForStepByStep) {
        law_ = [](std::uint32_t cpus) { return 1.0 / std::min(cpus, 4U); };
        run(16, seconds(5));
        run(8, seconds(2));
        EXPECT_EQ(enough(), 8U);
        EXPECT_FALSE(speedup_.is_known(8, now_));
        run(4, seconds(2));
        EXPECT_EQ(enough(), 4U);
        run(2, milliseconds(300));
        EXPECT_EQ(enough(), 4U);
        EXPECT_TRUE(speedup_.is_known(4, now_));
        EXPECT_TRUE(speedup_.is_known(16, now_));
}

TEST_F(SpeedupTest, AmdahlsLawTellsAlsoBeyondWhatItHas) {
        for (const double serial : {0.5, 0.1, 0.05, 0.02}) {
                law_ = [serial](std::uint32_t cpus) { return amdahl(serial, cpus); };
                speedup_ = {};
                run(16, seconds(5));
                run(8, seconds(1));
                EXPECT_EQ(knee(), static_cast<std::uint32_t>(std::lround(1 / serial)) - 1);
                EXPECT_EQ(enough(), 8U) << "that 4 would do is not known";
                EXPECT_TRUE(speedup_.is_known(9, now_));
                EXPECT_FALSE(speedup_.is_known(8, now_));
        }
}

TEST_F(SpeedupTest, AKneeThatIsFarIsNone) {
        law_ = [](std::uint32_t cpus) { return amdahl(0.01, cpus); };
        run(16, seconds(5));
        run(8, seconds(1));
        EXPECT_EQ(knee(), 0U);
        EXPECT_EQ(enough(), 0U);
        EXPECT_TRUE(speedup_.is_known(16, now_));
}

TEST_F(SpeedupTest, ItIsLearnedFromGrantsThatGrow) {
        law_ = [](std::uint32_t cpus) { return 1.0 / std::min(cpus, 4U); };
        run(4, seconds(3));
        run(16, milliseconds(500));
        EXPECT_EQ(enough(), 0U) << "too short a look to take something away";
        run(16, seconds(1));
        EXPECT_EQ(knee(), 1U);
        EXPECT_EQ(enough(), 4U);
}

TEST_F(SpeedupTest, AFewRegionsAreNotEnough) {
        law_ = [](std::uint32_t) { return 1.0 / 16; };
        region_s_ = 16 * 0.045;
        run(16, seconds(5));
        run(8, milliseconds(800));  // 17 of 45 ms
        EXPECT_EQ(enough(), 0U);
        run(8, milliseconds(300));
        EXPECT_EQ(enough(), 8U);
}

TEST_F(SpeedupTest, WhatIsLongAgoIsNotCompared) {
        law_ = [](std::uint32_t cpus) { return 1.0 / std::min(cpus, 4U); };
        run(16, seconds(5));
        now_ += Speedup::kFresh;
        run(8, seconds(5));
        EXPECT_EQ(enough(), 0U);
}

TEST_F(SpeedupTest, WhatWasFoundIsForgottenOneDay) {
        law_ = [](std::uint32_t cpus) { return 1.0 / std::min(cpus, 4U); };
        run(16, seconds(5));
        run(8, seconds(2));
        run(16, seconds(2));
        run(8, seconds(30));
        EXPECT_EQ(enough(), 8U);
        run(8, Speedup::kHold);
        EXPECT_EQ(enough(), 0U);
        EXPECT_FALSE(speedup_.is_known(16, now_));
}

TEST_F(SpeedupTest, WhatWasTakenAwayComesBackUntilTheOtherDirectionSaysTheSame) {
        law_ = [](std::uint32_t cpus) { return 1.0 / std::min(cpus, 4U); };
        run(16, seconds(5));
        run(8, milliseconds(300));
        EXPECT_EQ(enough(), 8U);
        run(8, Speedup::kFresh);
        EXPECT_EQ(enough(), 0U);
        run(16, seconds(2));
        EXPECT_EQ(enough(), 8U);
        run(8, Speedup::kFresh + seconds(10));
        EXPECT_EQ(enough(), 8U) << "16 to 8, 8 to 16, and 16 to 8 again";
}

TEST_F(SpeedupTest, APhaseThatEndsWhereATryBeginsTakesNothingAwayForLong) {
        region_s_ = 0.16;  // the start: 10 ms with 16
        run(16, seconds(5));
        region_s_ = 0.016;
        run(16, seconds(1));
        run(8, milliseconds(300));
        ASSERT_EQ(enough(), 8U);
        run(8, seconds(4));
        EXPECT_EQ(enough(), 8U) << "the mean of 16 does not change any more";
        run(4, seconds(1));
        run(8, seconds(10));
        EXPECT_EQ(enough(), 0U);
        run(16, seconds(2));
        EXPECT_EQ(enough(), 0U);
        EXPECT_TRUE(speedup_.is_known(16, now_));
}

TEST_F(SpeedupTest, AGlanceIsMendedByALongerLook) {
        run(16, seconds(5));
        law_ = [](std::uint32_t) { return 1.0 / 16; };  // shorter regions, by chance
        run(8, milliseconds(200));
        EXPECT_EQ(enough(), 8U);
        law_ = [](std::uint32_t cpus) { return 1.0 / cpus; };
        run(8, seconds(3));
        EXPECT_EQ(enough(), 0U);
}

TEST_F(SpeedupTest, AGlanceAtStillFewerIsMendedToo) {
        law_ = [](std::uint32_t cpus) { return 1.0 / std::min(cpus, 8U); };
        run(16, seconds(5));
        run(8, seconds(2));
        ASSERT_EQ(enough(), 8U);
        law_ = [](std::uint32_t) { return 1.0 / 8; };  // shorter regions, by chance
        run(4, milliseconds(200));
        ASSERT_EQ(enough(), 4U);
        law_ = [](std::uint32_t cpus) { return 1.0 / std::min(cpus, 8U); };
        run(4, seconds(3));
        EXPECT_EQ(enough(), 8U);
        EXPECT_TRUE(speedup_.is_known(8, now_));
}

TEST_F(SpeedupTest, WhatIsEnoughStaysSoWhereItHasMore) {
        law_ = [](std::uint32_t cpus) { return 1.0 / std::min(cpus, 4U); };
        run(64, seconds(5));
        run(8, seconds(2));
        run(64, seconds(2));
        ASSERT_EQ(enough(), 8U);
        run(40, seconds(2));
        EXPECT_EQ(enough(), 8U);
        run(8, seconds(2));
        run(32, seconds(30));
        EXPECT_EQ(enough(), 8U) << "a step up that says the same takes nothing back";
}

TEST_F(SpeedupTest, PhasesOfALinearProgramLeaveItWhatItHas) {
        // Regions of every tenth second are ten times as long.
        run(16, seconds(5));
        for (int i = 0; i < 20; i++) {
                region_s_ = i % 10 == 0 ? 0.16 : 0.016;
                run(16, seconds(1));
        }
        EXPECT_EQ(enough(), 0U) << "one size says nothing, whatever it does";
        run(8, milliseconds(300));
        region_s_ = 0.16;
        run(16, seconds(1));
        region_s_ = 0.016;
        run(16, seconds(9));
        EXPECT_EQ(enough(), 0U);
        EXPECT_TRUE(speedup_.is_known(16, now_));
}

TEST_F(SpeedupTest, TotalsThatFallBeginAnew) {
        run(16, seconds(5));
        totals_.time_ns = 0;
        totals_.regions = 5;
        speedup_.report(totals_, now_);
        totals_.regions = 4;
        totals_.time_ns = ~0ULL;
        speedup_.report(totals_, now_ + seconds(1));
        EXPECT_EQ(speedup_.region_time(16, now_), milliseconds(1));
}

TEST_F(SpeedupTest, AnyNumberMayBeReported) {
        std::uint32_t most = 0;
        for (const std::uint32_t cpus : {1U, 16U, 8U, kAllPay, 1U})
                for (const std::uint64_t number : {0ULL, 1ULL, 1ULL << 40, ~0ULL}) {
                        now_ += seconds(1);
                        for (const Speedup::Totals& said : {Speedup::Totals{cpus, number, ~number},
                                                            {cpus, number, number},
                                                            {cpus, ~0ULL, ~0ULL}}) {
                                speedup_.report(said, now_);
                                const auto time = speedup_.region_time(cpus, now_);
                                EXPECT_GE(time.value_or(seconds(0)), seconds(0));
                                EXPECT_LE(time.value_or(seconds(0)), seconds(1'000'000'000));
                                most = std::max(most, cpus);
                                EXPECT_LE(knee(), std::uint64_t{Speedup::kFar} * most);
                        }
                }
        EXPECT_TRUE(speedup_.region_time(1, now_)) << "something was measured";
}

}  // namespace
}  // namespace governor::evidence
