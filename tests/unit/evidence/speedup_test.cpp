// SPDX-License-Identifier: MIT
// The conclusions from the times of regions.
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

        /// Is the worth of half as many CPUs known?
        [[nodiscard]] bool is_known(std::uint32_t cpus) const {
                return speedup_.elasticity_below(cpus, now_).has_value();
        }
        /// True also as long as nothing is known.
        [[nodiscard]] bool do_pay(std::uint32_t cpus) const {
                return speedup_.elasticity_below(cpus, now_).value_or(1) >= 0.5;
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
                EXPECT_NEAR(found, 1 / serial - 1, 1e-6);
        }
}

TEST(Knee, OfALinearProgramIsNowhere) {
        EXPECT_EQ(knee_of(4, 2, 8, 1), kAllPay);
        EXPECT_EQ(knee_of(4, 3, 8, 1), kAllPay) << "even more than linear";
}

TEST(Knee, OfOneThatIsNoFasterIsBelowAll) {
        EXPECT_EQ(knee_of(4, 1, 8, 1), 0);
        EXPECT_EQ(knee_of(4, 1, 8, 2), 0) << "slower";
}

TEST_F(SpeedupTest, IsNotKnownOfOneSize) {
        run(16, seconds(20));
        EXPECT_FALSE(is_known(16));
        EXPECT_EQ(speedup_.region_time(16, now_), milliseconds(1));
        EXPECT_EQ(speedup_.region_time(8, now_), std::nullopt);
}

TEST_F(SpeedupTest, AllPaysWhoIsLinear) {
        run(16, seconds(5));
        run(8, milliseconds(300));
        EXPECT_TRUE(do_pay(16));
        EXPECT_TRUE(is_known(16));
        EXPECT_FALSE(is_known(8)) << "that is not compared with fewer";
        EXPECT_FALSE(is_known(32));
}

TEST_F(SpeedupTest, WhoIsNoFasterWithMoreIsLookedForStepByStep) {
        law_ = [](std::uint32_t cpus) { return 1.0 / std::min(cpus, 4U); };
        run(16, seconds(5));
        run(8, seconds(2));
        EXPECT_FALSE(do_pay(16));
        EXPECT_FALSE(is_known(8));
        run(4, seconds(2));
        EXPECT_FALSE(do_pay(8));
        run(2, milliseconds(300));
        EXPECT_TRUE(is_known(4));
        EXPECT_TRUE(do_pay(4));
        EXPECT_FALSE(do_pay(16));
}

TEST_F(SpeedupTest, IsThatOfAmdahlsLaw) {
        for (const double serial : {0.5, 0.1, 0.05, 0.02, 0.01}) {
                law_ = [serial](std::uint32_t cpus) { return amdahl(serial, cpus); };
                speedup_ = {};
                run(16, seconds(5));
                run(8, seconds(1));
                const auto octave = policy::fair::octave_below(16);
                EXPECT_NEAR(*speedup_.elasticity_below(16, now_),
                            policy::fair::amdahl_elasticity(1 / serial - 1, octave), 0.01);
                EXPECT_FALSE(is_known(8));
        }
}

TEST_F(SpeedupTest, OfAWideStepAllOctavesBetweenAreKnown) {
        run(64, seconds(5));
        run(8, seconds(1));
        EXPECT_TRUE(is_known(64));
        EXPECT_TRUE(is_known(16));
        EXPECT_FALSE(is_known(8));
}

TEST_F(SpeedupTest, ItIsLearnedFromGrantsThatGrow) {
        law_ = [](std::uint32_t cpus) { return 1.0 / std::min(cpus, 4U); };
        run(4, seconds(3));
        run(16, milliseconds(500));
        EXPECT_FALSE(is_known(16)) << "too short a look to take something away";
        run(16, seconds(1));
        EXPECT_FALSE(do_pay(16));
        EXPECT_FALSE(do_pay(8));
}

TEST_F(SpeedupTest, AGlanceAtMoreSaysThatTheyPay) {
        run(4, seconds(2));
        run(16, milliseconds(200));
        EXPECT_TRUE(is_known(16));
        EXPECT_TRUE(do_pay(16));
}

TEST_F(SpeedupTest, TheFirstGlanceAtTheStartSaysThatAllPay) {
        speedup_.starts();
        run(16, milliseconds(100));
        run(8, milliseconds(300));
        EXPECT_TRUE(is_known(16));
        EXPECT_TRUE(do_pay(16));
}

TEST_F(SpeedupTest, AStartOnFewIsTooShortToSayThatMorePay) {
        run(4, milliseconds(300));  // cold
        region_s_ /= 2;
        law_ = [](std::uint32_t) { return 1.0 / 16; };
        run(16, seconds(3));
        EXPECT_FALSE(is_known(16));
}

TEST_F(SpeedupTest, AStartIsTooShortToSayThatFewDoAsWell) {
        law_ = [](std::uint32_t) { return 1.0 / 16; };  // new threads: slow with all of them
        run(16, milliseconds(300));
        run(8, seconds(3));
        EXPECT_FALSE(is_known(16));
}

TEST_F(SpeedupTest, AFewRegionsAreNotEnough) {
        law_ = [](std::uint32_t) { return 1.0 / 16; };
        region_s_ = 16 * 0.045;
        run(16, seconds(5));
        run(8, milliseconds(400));  // 8 of 45 ms
        EXPECT_FALSE(is_known(16));
        run(8, milliseconds(200));
        EXPECT_FALSE(do_pay(16));
}

TEST_F(SpeedupTest, WhatIsLongAgoIsNotCompared) {
        law_ = [](std::uint32_t cpus) { return 1.0 / std::min(cpus, 4U); };
        run(16, seconds(5));
        now_ += numbers::kMemory;
        run(8, seconds(5));
        EXPECT_TRUE(do_pay(16));
}

TEST_F(SpeedupTest, WhatWasFoundIsForgottenOneDay) {
        law_ = [](std::uint32_t cpus) { return 1.0 / std::min(cpus, 4U); };
        run(16, seconds(5));
        run(8, seconds(2));
        run(16, seconds(2));
        run(8, seconds(30));
        EXPECT_FALSE(do_pay(16));
        run(8, numbers::kHold);
        EXPECT_TRUE(do_pay(16));
        EXPECT_FALSE(is_known(16));
}

TEST_F(SpeedupTest, WhatWasTakenAwayComesBackUntilTheOtherDirectionSaysTheSame) {
        law_ = [](std::uint32_t cpus) { return 1.0 / std::min(cpus, 4U); };
        run(16, seconds(5));
        run(8, milliseconds(300));
        EXPECT_FALSE(do_pay(16));
        run(8, numbers::kMemory);
        EXPECT_TRUE(do_pay(16));
        run(16, seconds(2));
        EXPECT_FALSE(do_pay(16));
        run(8, numbers::kMemory + seconds(10));
        EXPECT_FALSE(do_pay(16)) << "16 to 8, 8 to 16, and 16 to 8 again";
}

TEST_F(SpeedupTest, APhaseThatEndsWhereATryBeginsTakesNothingAwayForLong) {
        region_s_ = 0.16;  // the start: 10 ms with 16
        run(16, seconds(5));
        region_s_ = 0.016;
        run(16, seconds(1));
        run(8, milliseconds(300));
        ASSERT_FALSE(do_pay(16));
        run(8, seconds(4));
        EXPECT_FALSE(do_pay(16)) << "the mean of 16 does not change any more";
        run(4, seconds(1));
        run(8, seconds(10));
        EXPECT_TRUE(do_pay(16));
        run(16, seconds(2));
        EXPECT_TRUE(do_pay(16));
        EXPECT_TRUE(is_known(16));
}

TEST_F(SpeedupTest, AGlanceIsMendedByALongerLook) {
        run(16, seconds(5));
        law_ = [](std::uint32_t) { return 1.0 / 16; };  // shorter regions, by chance
        run(8, milliseconds(200));
        EXPECT_FALSE(do_pay(16));
        law_ = [](std::uint32_t cpus) { return 1.0 / cpus; };
        run(8, seconds(3));
        EXPECT_TRUE(do_pay(16));
}

TEST_F(SpeedupTest, AGlanceAtStillFewerIsMendedToo) {
        law_ = [](std::uint32_t cpus) { return 1.0 / std::min(cpus, 8U); };
        run(16, seconds(5));
        run(8, seconds(2));
        ASSERT_FALSE(do_pay(16));
        law_ = [](std::uint32_t) { return 1.0 / 8; };  // shorter regions, by chance
        run(4, milliseconds(200));
        ASSERT_FALSE(do_pay(8));
        law_ = [](std::uint32_t cpus) { return 1.0 / std::min(cpus, 8U); };
        run(4, seconds(3));
        EXPECT_FALSE(do_pay(16));
        EXPECT_TRUE(do_pay(8));
        EXPECT_TRUE(is_known(8));
}

TEST_F(SpeedupTest, PhasesOfALinearProgramLeaveItWhatItHas) {
        // Regions of every tenth second are ten times as long.
        run(16, seconds(5));
        for (int i = 0; i < 20; i++) {
                region_s_ = i % 10 == 0 ? 0.16 : 0.016;
                run(16, seconds(1));
        }
        EXPECT_TRUE(do_pay(16)) << "one size says nothing, whatever it does";
        run(8, milliseconds(300));
        region_s_ = 0.16;
        run(16, seconds(1));
        region_s_ = 0.016;
        run(16, seconds(9));
        EXPECT_TRUE(do_pay(16));
        EXPECT_TRUE(is_known(16));
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
                                const auto worth = speedup_.elasticity_below(16, now_).value_or(0);
                                EXPECT_GE(worth, 0);
                                EXPECT_LE(worth, 1);
                        }
                }
        EXPECT_TRUE(speedup_.region_time(1, now_)) << "something was measured";
}

}  // namespace
}  // namespace governor::evidence
