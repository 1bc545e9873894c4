// SPDX-License-Identifier: MIT
// How many CPUs each of several programs is left.
#include "policy/fair/efficient_width.hpp"

#include <gtest/gtest.h>

namespace governor::policy::fair {
namespace {

/// What `gangs` programs take in sum that have `each` of `cpus` CPUs, in units of the serial part.
double sum_of_times(double cpus, double gangs, double knee, double each) {
        const double rounds = gangs * each / cpus;
        return gangs * (rounds + 1) / 2 * (1 + knee / each);
}

TEST(WhatPays, IsAllForWhoIsLinear) {
        EXPECT_EQ(efficient_width(16, 4, 0, 0), 16U);
        EXPECT_EQ(efficient_width(16, 4, 0, 8), 16U);
        EXPECT_EQ(efficient_width(0, 4, 5, 0), 0U);
}

TEST(WhatPays, IsWhereTheSumOfTimesIsLeast) {
        for (const std::uint32_t cpus : {16U, 64U, 1024U})
                for (const std::uint32_t gangs : {2U, 4U, 8U, 100U})
                        for (const std::uint32_t knee : {1U, 3U, 9U, 19U, 49U, 200U, 4000U}) {
                                std::uint32_t best = 1;
                                for (std::uint32_t each = 2; each <= cpus; each++)
                                        if (sum_of_times(cpus, gangs, knee, each) <
                                            sum_of_times(cpus, gangs, knee, best))
                                                best = each;
                                EXPECT_NEAR(efficient_width(cpus, gangs, knee, 0), best, 1)
                                        << cpus << ' ' << gangs << ' ' << knee;
                        }
}

TEST(WhatPays, IsLessTheMoreThereAreWhoWait) {
        EXPECT_EQ(efficient_width(64, 1, 49, 0), 56U);
        EXPECT_EQ(efficient_width(64, 2, 49, 0), 40U);
        EXPECT_EQ(efficient_width(64, 4, 49, 0), 28U);
        EXPECT_EQ(efficient_width(64, 16, 49, 0), 14U);
        EXPECT_EQ(efficient_width(64, 1'000'000, 49, 0), 1U);
}

TEST(WhatPays, IsNoLessThanWhatIsKnownToBeEnough) {
        EXPECT_EQ(efficient_width(16, 4, 1, 8), 8U);
        EXPECT_EQ(efficient_width(16, 4, 1, 4), 4U);
        EXPECT_EQ(efficient_width(16, 4, 1, 20), 16U);
}

TEST(WhatPays, WithoutAnEndIsNoMoreThanAnEqualPart) {
        EXPECT_EQ(efficient_width_without_end(64, 2, 2, 0), efficient_width(64, 2, 2, 0));
        EXPECT_EQ(efficient_width_without_end(64, 4, 49, 0), 16U);
        EXPECT_EQ(efficient_width_without_end(64, 4, 49, 20), 20U);
        EXPECT_EQ(efficient_width_without_end(64, 4, 0, 0), 64U)
                << "one after the other is as good";
        EXPECT_EQ(efficient_width_without_end(4, 10, 3, 0), 1U);
        EXPECT_EQ(efficient_width_without_end(4, 10, 3, 9), 4U);
        EXPECT_EQ(efficient_width_without_end(0, 10, 3, 0), 0U);
        EXPECT_EQ(efficient_width_without_end(4, 0, 3, 0), 4U);
}

TEST(WhatPays, AnyNumberMayBeAsked) {
        constexpr auto kMost = ~0U;
        EXPECT_EQ(efficient_width(kMost, 1, kMost, kMost), kMost);
        EXPECT_EQ(efficient_width(1, ~0UL, kMost, 0), 1U);
        EXPECT_EQ(efficient_width(64, 0, 5, 0), 64U);
}

}  // namespace
}  // namespace governor::policy::fair
