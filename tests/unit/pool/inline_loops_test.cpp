// SPDX-License-Identifier: MIT
// The wakes of lanes for short loops.
#include "inline_loops.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <optional>

using threadcount::pool::InlineLoops;
using threadcount::pool::is_worth_a_wake;

namespace {

constexpr std::uint64_t kUs = 1'000;

/// The time that a loop, whose iterations take the same, has run alone when it wakes a lane; it
/// looks at the clock every microsecond.
std::optional<std::uint64_t> woken_at_us(std::uint64_t takes_us, std::uint64_t before_ns) {
        for (std::uint64_t spent = 1; spent < takes_us; spent++)
                if (is_worth_a_wake(spent * kUs, before_ns,
                                    static_cast<double>((takes_us - spent) * kUs)))
                        return spent;
        return std::nullopt;
}

/// The number of lanes that loops wake, one every `every_us`.
int wakes_of(int loops, std::uint64_t takes_us, std::uint64_t every_us) {
        InlineLoops inline_loops;
        int wakes = 0;
        for (std::uint64_t start = 1'000 * kUs; loops > 0; loops--, start += every_us * kUs) {
                if (woken_at_us(takes_us, inline_loops.before(start))) {
                        wakes++;
                        inline_loops.reset();
                } else {
                        inline_loops.add(start, start + takes_us * kUs);
                }
        }
        return wakes;
}

}  // namespace

TEST(InlineLoops, ThatComeAloneWakeNobodyForAFewMicroseconds) {
        for (const std::uint64_t takes_us : {2U, 9U, 12U, 20U, 40U})
                EXPECT_EQ(wakes_of(100, takes_us, 5'000), 0) << takes_us << " us";
}

TEST(InlineLoops, ThatAreLongWakeALane) {
        EXPECT_EQ(wakes_of(100, 60, 5'000), 100);
        EXPECT_EQ(woken_at_us(60, 0), 11U);
        EXPECT_EQ(woken_at_us(1'000, 0), 1U) << "at once";
}

TEST(InlineLoops, ThatFollowEachOtherWakeALaneForThoseToCome) {
        EXPECT_EQ(wakes_of(100, 2, 3), 100 / 6);
        EXPECT_EQ(wakes_of(100, 12, 13), 50);
        EXPECT_EQ(wakes_of(100, 12, 50), 0) << "too far apart";
}
