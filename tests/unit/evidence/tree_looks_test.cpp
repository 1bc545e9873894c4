// SPDX-License-Identifier: MIT
#include "evidence/tree_looks.hpp"

#include "policy/numbers.hpp"

#include <gtest/gtest.h>

namespace governor::evidence {
namespace {

using namespace std::chrono_literals;
using Told = TreeLooks::Told;

constexpr policy::TimePoint kFirstLook{1000s};

TEST(TreeLooks, TellNothingWithoutOneBefore) {
        TreeLooks looks;
        EXPECT_EQ(looks.add(TreeLook{1s, true}, kFirstLook), Told::Nothing);
        looks.forget();
        EXPECT_EQ(looks.add(TreeLook{2s, true}, kFirstLook + 1s), Told::Nothing);
        EXPECT_EQ(looks.add(std::nullopt, kFirstLook + 2s), Told::Nothing);
        EXPECT_EQ(looks.add(TreeLook{3s, true}, kFirstLook + 3s), Told::Nothing);
}

TEST(TreeLooks, SayForHowLongItHasBeenQuiet) {
        TreeLooks looks;
        looks.add(TreeLook{1s, false}, kFirstLook);
        EXPECT_EQ(looks.add(TreeLook{1s, false}, kFirstLook + 100ms), Told::Quiet);
        EXPECT_EQ(looks.add(TreeLook{1s, false}, kFirstLook + 200ms), Told::Quiet);
        EXPECT_EQ(looks.quiet_since(), kFirstLook);

        EXPECT_EQ(looks.add(TreeLook{1s, true}, kFirstLook + 300ms), Told::Busy);
        EXPECT_EQ(looks.add(TreeLook{1s, false}, kFirstLook + 400ms), Told::Quiet);
        EXPECT_EQ(looks.quiet_since(), kFirstLook + 300ms);
}

TEST(TreeLooks, TakeATickOfTheKernelForNothing) {
        TreeLooks looks;
        looks.add(TreeLook{1s, false}, kFirstLook);
        EXPECT_EQ(looks.add(TreeLook{1s + numbers::kKernelTick, false}, kFirstLook + 10ms),
                  Told::Quiet);
        EXPECT_EQ(looks.add(TreeLook{2s, false}, kFirstLook + 100ms), Told::Busy);
}

TEST(TreeLooks, AreDueSoonAgainAndLaterWhereNobodyCanKnow) {
        TreeLooks looks;
        EXPECT_TRUE(looks.is_due(kFirstLook));
        looks.add(TreeLook{}, kFirstLook);
        EXPECT_FALSE(looks.is_due(kFirstLook));
        EXPECT_TRUE(looks.is_due(kFirstLook + numbers::kTick));
        looks.add(std::nullopt, kFirstLook + 1s);
        EXPECT_FALSE(looks.is_due(kFirstLook + 1s + numbers::kTick));
        EXPECT_TRUE(looks.is_due(kFirstLook + 1s + numbers::kWindow));
}

TEST(TreeLooks, AreFreshForTwoWindows) {
        TreeLooks looks;
        EXPECT_FALSE(looks.are_fresh(kFirstLook));
        looks.add(TreeLook{}, kFirstLook);
        EXPECT_TRUE(looks.are_fresh(kFirstLook + numbers::kWindow));
        EXPECT_FALSE(looks.are_fresh(kFirstLook + 2 * numbers::kWindow));
}

}  // namespace
}  // namespace governor::evidence
