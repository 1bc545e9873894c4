// SPDX-License-Identifier: MIT
// CPU clocks in, rates out.
#include "evidence/burn_window.hpp"
#include "start.hpp"

#include <gtest/gtest.h>

namespace governor::evidence {
namespace {

using namespace std::chrono_literals;

class BurnWindowTest : public ::testing::Test {
protected:
        /// Burns `cpus` for `time`, read every `period`.
        void run(double cpus, std::chrono::milliseconds time,
                 std::chrono::milliseconds period = 1s) {
                for (const auto end = now_ + time; now_ < end;) {
                        const auto previous = now_;
                        now_ += period;
                        cpu_time_ +=
                                std::chrono::duration_cast<std::chrono::nanoseconds>(period * cpus);
                        allowed_ += period * granted_;
                        window_.add({cpu_time_, allowed_, granted_}, 64, now_, previous);
                }
        }

        [[nodiscard]] std::uint32_t judged() const {
                const auto rate = window_.judged();
                return rate ? rate->millicpu : 999'999;
        }

        [[nodiscard]] std::uint32_t excess() const {
                const auto rate = window_.judged();
                return rate ? rate->excess_millicpu : 999'999;
        }

        BurnWindow window_;
        TimePoint now_ = kStart;
        std::chrono::nanoseconds cpu_time_{0};
        std::chrono::nanoseconds allowed_{0};
        std::uint32_t granted_ = 8;
};

TEST_F(BurnWindowTest, JudgesOverASecondWhateverThePeriod) {
        run(2, 5s);
        EXPECT_EQ(judged(), 2'000U);
        run(4, 1s, 50ms);
        EXPECT_NEAR(judged(), 4'000, 10);
        run(0, 500ms, 50ms);
        EXPECT_NEAR(judged(), 2'000, 250);
}

TEST_F(BurnWindowTest, DoesNotJudgeBeforeTheWindowIsFull) {
        EXPECT_FALSE(window_.judged());
        run(2, 850ms, 50ms);
        EXPECT_FALSE(window_.judged());
        run(2, 150ms, 50ms);
        EXPECT_EQ(judged(), 2'000U);
}

TEST_F(BurnWindowTest, DoesNotJudgeWhatWasUsedBeforeTheFirstReading) {
        cpu_time_ = 1000h;
        run(2, 2s);
        EXPECT_EQ(judged(), 2'000U);
}

TEST_F(BurnWindowTest, ChargesTheFirstWindowWithWhatWasUsedBefore) {
        cpu_time_ = 3s;
        run(0, 50ms, 50ms);
        EXPECT_EQ(window_.millicpu_since(now_ - 1s), 3'000U);
        cpu_time_ = 1000h;
        window_ = {};
        run(0, 50ms, 50ms);
        EXPECT_EQ(window_.millicpu_since(now_ - 1s), 3'200U) << "64 CPUs for 50 ms";
}

TEST_F(BurnWindowTest, WhatWasUsedBeforeTheBeginningIsNotBurned) {
        cpu_time_ = 1000h;
        window_.begin(cpu_time_, now_);
        run(2, 1s);
        EXPECT_EQ(window_.millicpu_since(now_ - 1s), 2'000U);
        EXPECT_EQ(judged(), 2'000U);
}

TEST_F(BurnWindowTest, DoesNotJudgeWhatIsHandedOver) {
        run(4, 2s);
        window_.hand_over(3s);
        EXPECT_EQ(judged(), 1'000U);
        EXPECT_EQ(window_.millicpu_since(now_ - 1s), 4'000U) << "it was burned all the same";
        run(4, 500ms, 50ms);
        EXPECT_EQ(judged(), 2'000U) << "1 s of before, and 2 s, in 1.5 s";
        run(3, 1s);
        EXPECT_EQ(judged(), 3'000U);
        window_.hand_over(24h);
        EXPECT_EQ(judged(), 0U);
        window_.hand_over(1s);
        EXPECT_EQ(judged(), 0U);
}

TEST_F(BurnWindowTest, WhatIsAllowedIsNoExcess) {
        run(8, 5s, 100ms);
        EXPECT_EQ(excess(), 0U);
        granted_ = 4;
        run(4, 500ms, 100ms);
        EXPECT_EQ(excess(), 0U) << "what was burned before the shrink was allowed then";
        EXPECT_GT(judged(), 4'000U);
}

TEST_F(BurnWindowTest, WhatIsNotAllowedIsExcessFromTheFirstReadingOn) {
        run(8, 5s, 100ms);
        granted_ = 4;
        run(8, 500ms, 100ms);
        EXPECT_NEAR(excess(), 2'222, 10) << "4 CPUs for 500 of 900 ms";
        run(8, 1s, 100ms);
        EXPECT_EQ(excess(), 4'000U);
        run(4, 1s, 100ms);
        EXPECT_EQ(excess(), 0U);
}

TEST_F(BurnWindowTest, WhatWasAllowedAndNotUsedDoesNotCountForLater) {
        for (int i = 0; i < 10; i++) {
                granted_ = 16;
                run(0, 200ms, 100ms);
                granted_ = 1;
                run(16, 200ms, 100ms);
        }
        EXPECT_NEAR(excess(), 7'500, 1'000) << "15 CPUs, half of the time";
}

TEST_F(BurnWindowTest, ClampsAClockThatGoesBackwards) {
        run(4, 2s);
        cpu_time_ -= 3s;
        run(0, 1s);
        EXPECT_EQ(judged(), 0U);
        run(4, 1s);
        EXPECT_EQ(judged(), 4'000U);
}

TEST_F(BurnWindowTest, ClampsAClockThatJumps) {
        run(4, 2s);
        cpu_time_ += 1000h;
        run(0, 1s);
        EXPECT_EQ(judged(), 64'000U);
        run(4, 1s);
        EXPECT_EQ(judged(), 4'000U);
}

TEST_F(BurnWindowTest, SurvivesTheExtremesOfAClock) {
        for (const auto extreme :
             {std::chrono::nanoseconds{-1}, std::chrono::nanoseconds{0}, 1'000'000h + 0ns}) {
                cpu_time_ = extreme;
                run(0, 1s);
                EXPECT_LE(judged(), 999'999U);
        }
}

TEST_F(BurnWindowTest, IgnoresASecondReadingOfTheSameTime) {
        run(4, 2s);
        window_.add({cpu_time_ + 1s, allowed_, 8}, 64, now_, now_);
        EXPECT_EQ(judged(), 4'000U);
}

TEST_F(BurnWindowTest, SaysTheLeastThatWasGranted) {
        run(4, 2s, 100ms);
        granted_ = 2;
        run(4, 100ms, 100ms);
        granted_ = 16;
        run(4, 500ms, 100ms);
        EXPECT_EQ(window_.judged()->granted, 2U);
        run(4, 1s, 100ms);
        EXPECT_EQ(window_.judged()->granted, 16U);
}

TEST(SampleTimes, StartTheWindowASecondAgo) {
        SampleTimes times;
        for (auto i = 0; i <= 100; i++)
                times.add(kStart + i * 50ms);
        EXPECT_EQ(times.window_start(), kStart + 4'100ms) << "nine tenths are full enough";
        EXPECT_EQ(times.previous(), kStart + 4'950ms);
        times.add(kStart + 20s);
        EXPECT_EQ(times.window_start(), kStart + 5s);
        times.add(kStart + 20s);
        EXPECT_EQ(times.window_start(), kStart + 5s);
}

class DepartedTest : public ::testing::Test {
protected:
        [[nodiscard]] std::uint32_t collected(TimePoint from, TimePoint to) {
                std::vector<evidence::Burn> burns;
                departed_.collect(from, to, burns);
                std::uint32_t sum = 0;
                for (const auto& burn : burns)
                        sum += burn.millicpu;
                return sum;
        }

        Departed departed_;
        policy::CpuMask cpus_ = policy::CpuMask::range(0, 8);
};

TEST_F(DepartedTest, AreChargedForTheirPartOfTheWindow) {
        departed_.add({cpus_, false, {{kStart, kStart + 500ms, 4s}}});
        EXPECT_EQ(collected(kStart - 500ms, kStart + 500ms), 4'000U);
        EXPECT_EQ(collected(kStart + 250ms, kStart + 1250ms), 2'000U);
        EXPECT_EQ(collected(kStart + 500ms, kStart + 1500ms), 0U);
}

TEST_F(DepartedTest, AreChargedSpanBySpan) {
        departed_.add({cpus_,
                       false,
                       {{kStart, kStart + 1s, 0s},
                        {kStart + 1s, kStart + 1250ms, 2s},
                        {kStart + 1250ms, kStart + 1500ms, 1s}}});
        EXPECT_EQ(collected(kStart + 1s, kStart + 2s), 3'000U);
        EXPECT_EQ(collected(kStart + 1250ms, kStart + 2250ms), 1'000U);
        EXPECT_EQ(collected(kStart + 1500ms, kStart + 2500ms), 0U);
}

TEST_F(DepartedTest, AreBounded) {
        for (int i = 0; i < 10'000; i++)
                departed_.add({cpus_, false, {{kStart, kStart + 1s, 1s}}});
        EXPECT_EQ(collected(kStart, kStart + 1s), 1'000U * Departed::kMost);
}

}  // namespace
}  // namespace governor::evidence
