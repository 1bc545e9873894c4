// SPDX-License-Identifier: MIT
// At most one message a minute, and none forgotten.
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

}  // namespace
}  // namespace governor::server
