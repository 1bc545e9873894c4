// SPDX-License-Identifier: MIT
#include "queue_backoff.hpp"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>

using threadcount::pool::QueueBackoff;

namespace {

constexpr std::uint64_t kMost = 1'600;

void take(QueueBackoff& patience, int tasks) {
        for (int i = 0; i < tasks; i++)
                patience.took_one();
}

/// After so many tasks, where one comes every `pace` ns meanwhile.
std::uint64_t in_a_stream_of(int tasks, std::uint64_t pace) {
        QueueBackoff patience;
        for (int i = 0; i < tasks; i++) {
                patience.took_one();
                patience.saw(patience.ns() / pace);
        }
        return patience.ns();
}

}  // namespace

TEST(QueueBackoff, IsNotForAFewTasks) {
        QueueBackoff patience;
        EXPECT_EQ(patience.ns(), 0U);
        take(patience, 15);
        EXPECT_EQ(patience.ns(), 0U);
}

TEST(QueueBackoff, GrowsWithAStreamUpToABound) {
        std::uint64_t before = 0;
        for (int tasks = 16; tasks < 1000; tasks++) {
                const auto ns = in_a_stream_of(tasks, 35);
                EXPECT_GE(ns, before);
                EXPECT_LE(ns, static_cast<std::uint64_t>(tasks) * 35 / 5) << "a part of its time";
                before = ns;
        }
        EXPECT_EQ(before, kMost);
}

TEST(QueueBackoff, EndsWithTheStream) {
        QueueBackoff patience;
        take(patience, 1000);
        ASSERT_EQ(patience.ns(), kMost);
        patience.saw(kMost / 60 + 1);
        EXPECT_EQ(patience.ns(), kMost);
        patience.saw(kMost / 60);
        EXPECT_EQ(patience.ns(), 0U);
        take(patience, 15);
        EXPECT_EQ(patience.ns(), 0U);
}

TEST(QueueBackoff, OfSlowTasksIsShort) { EXPECT_LE(in_a_stream_of(1000, 100), 16U * 6U); }
