// SPDX-License-Identifier: MIT
// Threads that start regions at the same time, and one after the other.
#include "masters.hpp"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace threadcount {
namespace {

TEST(Masters, OneIsAlone) {
        Masters masters;
        Masters::Mark mark = 0;
        for (std::uint64_t period = 1; period < 10; period++)
                for (int region = 0; region < 3; region++)
                        EXPECT_EQ(masters.begin(mark, period), 1U);
}

TEST(Masters, EachIsCountedOnceInAPeriod) {
        Masters masters;
        Masters::Mark a = 0;
        Masters::Mark b = 0;
        for (std::uint64_t period = 7; period < 12; period++)
                for (int region = 0; region < 3; region++) {
                        const auto of_a = masters.begin(a, period);
                        EXPECT_EQ(of_a, period == 7 && region == 0 ? 1U : 2U);
                        EXPECT_EQ(masters.begin(b, period), 2U);
                }
}

TEST(Masters, WhoStopsIsForgottenAPeriodLater) {
        Masters masters;
        Masters::Mark a = 0;
        Masters::Mark b = 0;
        (void)masters.begin(a, 1);
        (void)masters.begin(b, 1);
        EXPECT_EQ(masters.begin(a, 2), 2U);
        EXPECT_EQ(masters.begin(a, 3), 1U);
}

TEST(Masters, NobodyCountsAfterAPause) {
        Masters masters;
        Masters::Mark a = 0;
        Masters::Mark b = 0;
        (void)masters.begin(a, 1);
        (void)masters.begin(b, 1);
        EXPECT_EQ(masters.begin(a, 9), 1U);
}

TEST(Masters, AreCountedByManyThreadsAtOnce) {
        static constexpr std::uint32_t kThreads = 8;
        Masters masters;
        std::vector<std::thread> threads;
        for (std::uint32_t i = 0; i < kThreads; i++)
                threads.emplace_back([&masters] {
                        Masters::Mark mark = 0;
                        for (int region = 0; region < 1000; region++) {
                                const auto count = masters.begin(mark, 5);
                                EXPECT_GE(count, 1U);
                                EXPECT_LE(count, kThreads);
                        }
                });
        for (auto& thread : threads)
                thread.join();
        Masters::Mark one_more = 0;
        EXPECT_EQ(masters.begin(one_more, 5), kThreads + 1);
}

}  // namespace
}  // namespace threadcount
