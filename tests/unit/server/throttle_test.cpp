// SPDX-License-Identifier: MIT
// At most one message a minute, and none forgotten.
#include "server/journal/log.hpp"
#include "server/journal/throttle.hpp"

#include <gtest/gtest.h>

namespace governor::server {
namespace {

using namespace std::chrono_literals;
constexpr std::chrono::steady_clock::time_point kStart{1h};

TEST(ThrottleTest, LetsTheFirstOneThrough) {
        Throttle throttle;
        EXPECT_EQ(throttle.allow(kStart), 1U);
}

TEST(ThrottleTest, HoldsBackTheOthersOfAMinuteAndCountsThem) {
        Throttle throttle;
        EXPECT_EQ(throttle.allow(kStart), 1U);
        EXPECT_EQ(throttle.allow(kStart), std::nullopt);
        EXPECT_EQ(throttle.allow(kStart + 30s), std::nullopt);
        EXPECT_EQ(throttle.allow(kStart + 1min - 1ns), std::nullopt);
        EXPECT_EQ(throttle.allow(kStart + 1min), 4U);
        EXPECT_EQ(throttle.allow(kStart + 1min + 1s), std::nullopt);
        EXPECT_EQ(throttle.allow(kStart + 1h), 2U);
}

TEST(ThrottleTest, SaysWhatItHasCounted) {
        EXPECT_EQ(since(1, "attempts"), "");
        EXPECT_EQ(since(87, "attempts"), " (87 attempts since last reported)");
}

TEST(ThrottleTest, LetsRareOnesThroughOneByOne) {
        Throttle throttle;
        for (int minute = 0; minute < 10; minute++)
                EXPECT_EQ(throttle.allow(kStart + std::chrono::minutes{minute}), 1U);
}

TEST(ThrottleTest, LetsAsManyThroughPerMinuteAsItIsTold) {
        Throttle throttle(3);
        for (int i = 0; i < 3; i++)
                EXPECT_EQ(throttle.allow(kStart + i * 1s), 1U);
        EXPECT_EQ(throttle.allow(kStart + 30s), std::nullopt);
        EXPECT_EQ(throttle.allow(kStart + 1min), 2U);
        EXPECT_EQ(throttle.allow(kStart + 1min), 1U);
}

TEST(ThrottleTest, WritesOncePerMinuteInAFlood) {
        Throttle throttle;
        std::uint64_t messages = 0;
        std::uint64_t counted = 0;
        for (int i = 0; i < 10'000; i++)
                if (const auto count = throttle.allow(kStart + i * 100ms)) {
                        messages++;
                        counted += *count;
                }
        EXPECT_EQ(messages, 17U);  // 1000 s
        EXPECT_EQ(counted, 16U * 600 + 1);
}

const policy::Account kNoisy{1000};
const policy::Account kQuiet{1001};

TEST(ThrottlesTest, DoNotHideWhatOneUserDoesBehindAnothersNoise) {
        Throttles throttles;
        EXPECT_EQ(throttles.allow(kNoisy, kStart), 1U);
        for (int i = 0; i < 1'000; i++)
                EXPECT_EQ(throttles.allow(kNoisy, kStart), std::nullopt);
        EXPECT_EQ(throttles.allow(kQuiet, kStart), 1U);
        EXPECT_EQ(throttles.allow(kNoisy, kStart + 1min), 1'001U);
        EXPECT_EQ(throttles.allow(kQuiet, kStart + 1min), 1U);
}

/// LogRateLimitBurst= of the unit is 300 in 30 s.
TEST(ThrottlesTest, LetFewerThroughThanTheJournalDoesHoweverManyUsersThereAre) {
        Throttles refused;
        Throttles misbehaved;
        Throttles no_lease;
        Throttles ordered(20, 8);
        int messages = 0;
        for (std::uint32_t i = 0; i < 100'000; i++) {
                const policy::Account account{i % 5'000};
                const auto now = kStart + std::chrono::microseconds{i * 300};  // 30 s in all
                for (auto* of : {&refused, &misbehaved, &no_lease, &ordered})
                        messages += of->allow(account, now) ? 1 : 0;
        }
        EXPECT_LT(messages, 300);
        EXPECT_GT(messages, 100);
}

TEST(ThrottlesTest, KnowAnotherUserAMinuteAfterOneWasHeardLast) {
        Throttles throttles(1, 2);
        EXPECT_EQ(throttles.allow({1}, kStart), 1U);
        EXPECT_EQ(throttles.allow({2}, kStart + 30s), 1U);
        EXPECT_EQ(throttles.allow({3}, kStart + 31s), 1U) << "as one of all others";
        EXPECT_EQ(throttles.allow({4}, kStart + 32s), std::nullopt);
        EXPECT_EQ(throttles.allow({4}, kStart + 1min), 1U) << "in place of the first";
        EXPECT_EQ(throttles.allow({4}, kStart + 1min), std::nullopt);
        EXPECT_EQ(throttles.allow({2}, kStart + 1min), std::nullopt) << "who is known still";
}

}  // namespace
}  // namespace governor::server
