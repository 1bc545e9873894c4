// SPDX-License-Identifier: MIT
// The count that only grows, on a virtual clock.
#include "grown_count.hpp"

#include <gtest/gtest.h>
#include <random>

namespace threadcount {
namespace {

constexpr std::uint64_t kTtl = GrownCount::kTimeToLive_ms;
constexpr std::uint64_t kStart = 1'000'000;

TEST(GrownCountTest, IsTheProgramsOwnWidthBeforeAnybodyIsAsked) {
        const GrownCount count(16);
        EXPECT_EQ(count.threads(), 16U);
        EXPECT_EQ(count.current(), 0U);
}

TEST(GrownCountTest, IsOneThreadWhileTheFirstAnswerIsOnItsWay) {
        GrownCount count(16);
        count.asked(kStart);
        EXPECT_EQ(count.threads(), 1U);
        EXPECT_EQ(count.current(), 0U);
        count.unanswered(kStart + 249);
        EXPECT_EQ(count.threads(), 1U);
        EXPECT_EQ(count.current(), 0U);
}

TEST(GrownCountTest, WaitsAQuarterOfASecondForTheFirstAnswer) {
        GrownCount count(16);
        count.asked(kStart);
        count.unanswered(kStart + 250);
        EXPECT_EQ(count.threads(), 16U);
        EXPECT_EQ(count.current(), 16U);
}

TEST(GrownCountTest, WaitsNoLongerForAFirstAnswerThatWillNotCome) {
        GrownCount count(16);
        count.asked(kStart);
        count.failed(kStart + 1);
        EXPECT_EQ(count.threads(), 16U);
        EXPECT_EQ(count.current(), 16U);
}

TEST(GrownCountTest, GoesOnFromALastGrantHoweverMuchItWasBefore) {
        GrownCount count(16);
        count.answered(12, kStart);
        count.granted(3, kStart + kTtl);
        EXPECT_EQ(count.threads(), 3U);
        count.unanswered(kStart + 2 * kTtl - 1);
        EXPECT_EQ(count.threads(), 3U);
        count.unanswered(kStart + 2 * kTtl);
        EXPECT_EQ(count.threads(), 6U);
}

TEST(GrownCountTest, DoesNotStartWaitingAnewWhenItAsksAgain) {
        GrownCount count(16);
        count.asked(kStart);
        count.asked(kStart + 200);
        count.unanswered(kStart + 250);
        EXPECT_EQ(count.threads(), 16U);
}

TEST(GrownCountTest, IsTheProgramsOwnWidthAtOnceIfThereIsNoGovernor) {
        GrownCount count(16);
        count.unanswered(kStart);
        EXPECT_EQ(count.threads(), 16U);
        EXPECT_EQ(count.current(), 16U);
}

TEST(GrownCountTest, StartsWithTheFirstAnswer) {
        GrownCount count(16);
        count.asked(kStart);
        count.answered(5, kStart + 1);
        EXPECT_EQ(count.threads(), 5U);
        EXPECT_EQ(count.current(), 5U);
}

TEST(GrownCountTest, OnlyGrows) {
        GrownCount count(16);
        count.answered(5, kStart);
        count.answered(3, kStart + 1);
        EXPECT_EQ(count.threads(), 5U);
        count.answered(9, kStart + 2);
        EXPECT_EQ(count.threads(), 9U);
        count.answered(0, kStart + 3);
        EXPECT_EQ(count.threads(), 9U);
}

TEST(GrownCountTest, StaysBetweenOneAndItsMaximum) {
        GrownCount count(16);
        count.answered(0, kStart);
        EXPECT_EQ(count.threads(), 1U);
        count.answered(UINT32_MAX, kStart + 1);
        EXPECT_EQ(count.threads(), 16U);
        GrownCount single(1);
        single.asked(kStart);
        single.answered(8, kStart);
        EXPECT_EQ(single.threads(), 1U);
}

TEST(GrownCountTest, DoesNotGoBackToOneThreadForALaterQuestion) {
        GrownCount count(16);
        count.answered(5, kStart);
        count.asked(kStart + 1);
        EXPECT_EQ(count.threads(), 5U);
}

TEST(GrownCountTest, StaysForItsTimeToLiveWhenTheGovernorIsGone) {
        GrownCount count(16);
        count.answered(3, kStart);
        count.unanswered(kStart + kTtl - 1);
        EXPECT_EQ(count.threads(), 3U);
}

TEST(GrownCountTest, DoublesPerTimeToLiveUpToItsMaximum) {
        GrownCount count(16);
        count.answered(3, kStart);
        const std::uint32_t expected[] = {3, 6, 12, 16, 16};
        for (std::uint64_t n = 0; n < 5; n++) {
                for (std::uint64_t ms = 0; ms < kTtl; ms += 1000)
                        count.unanswered(kStart + n * kTtl + ms);
                EXPECT_EQ(count.threads(), expected[n]) << n;
        }
}

TEST(GrownCountTest, DoublesOnceHoweverLongNobodyLooked) {
        GrownCount count(16);
        count.answered(3, kStart);
        count.unanswered(kStart + 100 * kTtl);
        EXPECT_EQ(count.threads(), 6U);
        count.unanswered(kStart + 100 * kTtl + 1);
        EXPECT_EQ(count.threads(), 6U);
}

TEST(GrownCountTest, StopsDoublingWhenTheGovernorIsBack) {
        GrownCount count(16);
        count.answered(2, kStart);
        count.unanswered(kStart + kTtl);
        EXPECT_EQ(count.threads(), 4U);
        count.answered(2, kStart + kTtl + 50'000);
        count.unanswered(kStart + 2 * kTtl);
        EXPECT_EQ(count.threads(), 4U);
        count.unanswered(kStart + 2 * kTtl + 50'000);
        EXPECT_EQ(count.threads(), 8U);
}

/// A machine whose idle time the test sets.
class GrownCountOnAMachine : public ::testing::Test {
protected:
        static std::uint64_t idle_time() { return idle_ms_; }
        /// Behaves like a program without a governor: again and again, while so many CPUs are idle.
        void pass(std::uint64_t ms, double idle_cpus) {
                const auto begin = idle_ms_;
                for (std::uint64_t step = 0; step < ms; step += 1000) {
                        idle_ms_ = begin + static_cast<std::uint64_t>(static_cast<double>(step) *
                                                                      idle_cpus);
                        count_.unanswered(now_ms_ + step);
                }
                now_ms_ += ms;
                idle_ms_ = begin + static_cast<std::uint64_t>(static_cast<double>(ms) * idle_cpus);
        }

        static inline std::uint64_t idle_ms_ = 0;
        std::uint64_t now_ms_ = kStart;
        GrownCount count_{16, idle_time};
};

TEST_F(GrownCountOnAMachine, DoesNotGrowWhileNoCpuIsIdle) {
        idle_ms_ = 1'000'000;
        count_.answered(4, now_ms_);
        pass(5 * kTtl + 1000, 0.9);
        EXPECT_EQ(count_.threads(), 4U);
}

TEST_F(GrownCountOnAMachine, GrowsIntoIdleCpusAndAtMostDoubles) {
        idle_ms_ = 1'000'000;
        count_.answered(4, now_ms_);
        pass(kTtl + 1000, 3.5);
        EXPECT_EQ(count_.threads(), 7U);
        pass(kTtl, 60);
        EXPECT_EQ(count_.threads(), 14U);
        pass(kTtl, 60);
        EXPECT_EQ(count_.threads(), 16U);
}

TEST_F(GrownCountOnAMachine, HasPatienceForTenMinutes) {
        idle_ms_ = 1'000'000;
        count_.answered(4, now_ms_);
        pass(GrownCount::kPatience_ms, 0);
        EXPECT_EQ(count_.threads(), 4U);
        pass(kTtl + 1000, 0);
        EXPECT_EQ(count_.threads(), 8U);
        pass(GrownCount::kPatience_ms - 2 * kTtl, 0);
        EXPECT_EQ(count_.threads(), 8U);
}

TEST_F(GrownCountOnAMachine, CountsIdleTimeFromTheGovernorsEnd) {
        idle_ms_ = 1'000'000;
        count_.answered(4, now_ms_);
        now_ms_ += 10 * kTtl;  // a program that looks rarely; all this time CPUs were idle
        idle_ms_ += 100 * kTtl;
        pass(kTtl + 1000, 0);
        EXPECT_EQ(count_.threads(), 4U);
}

TEST_F(GrownCountOnAMachine, DoublesWhereIdleTimeIsNotKnown) {
        idle_ms_ = 0;
        count_.answered(4, now_ms_);
        pass(kTtl + 1000, 0);
        EXPECT_EQ(count_.threads(), 8U);
}

TEST_F(GrownCountOnAMachine, WaitsWhereIdleTimeGoesBack) {
        idle_ms_ = 1'000'000;
        count_.answered(4, now_ms_);
        count_.unanswered(now_ms_);
        idle_ms_ = 500'000;
        count_.unanswered(now_ms_ + kTtl);
        EXPECT_EQ(count_.threads(), 4U);
}

TEST(GrownCountTest, DoesNotOverflowWhenItDoubles) {
        GrownCount count(UINT32_MAX);
        count.answered(0x80000000U, kStart);
        count.unanswered(kStart + kTtl);
        EXPECT_EQ(count.threads(), UINT32_MAX);
}

TEST(GrownCountTest, NeverShrinksOnceItHasANumber) {
        for (unsigned seed = 1; seed <= 500; seed++) {
                std::mt19937 random(seed);
                const auto max = static_cast<std::uint32_t>(1 + random() % 100);
                GrownCount count(max);
                std::uint64_t now = kStart;
                std::uint32_t before = 0;
                for (int step = 0; step < 200; step++) {
                        now += random() % 40'000;
                        switch (random() % 3) {
                        case 0:
                                count.asked(now);
                                break;
                        case 1:
                                count.answered(static_cast<std::uint32_t>(random() % 200), now);
                                break;
                        default:
                                count.unanswered(now);
                        }
                        ASSERT_GE(count.threads(), 1U) << "seed " << seed;
                        ASSERT_LE(count.threads(), max) << "seed " << seed;
                        ASSERT_GE(count.current(), before) << "seed " << seed;
                        before = count.current();
                }
        }
}

}  // namespace
}  // namespace threadcount
