// SPDX-License-Identifier: MIT
// Permyriad as people read it.
#include "policy/permyriad.hpp"

#include <gtest/gtest.h>

namespace governor::policy {
namespace {

TEST(Percent, ShowsNoMoreDigitsThanThereAre) {
        EXPECT_EQ(format_percent(0), "0%");
        EXPECT_EQ(format_percent(1), "0.01%");
        EXPECT_EQ(format_percent(10), "0.1%");
        EXPECT_EQ(format_percent(99), "0.99%");
        EXPECT_EQ(format_percent(100), "1%");
        EXPECT_EQ(format_percent(101), "1.01%");
        EXPECT_EQ(format_percent(250), "2.5%");
        EXPECT_EQ(format_percent(500), "5%");
        EXPECT_EQ(format_percent(9999), "99.99%");
        EXPECT_EQ(format_percent(kPermyriad), "100%");
}

TEST(Percent, TellsEveryPermyriadFromEveryOther) {
        for (std::uint32_t i = 0; i <= kPermyriad; i++) {
                const auto text = format_percent(i);
                ASSERT_EQ(text.back(), '%');
                ASSERT_NEAR(std::stod(text), i / 100.0, 1e-9) << text;
        }
}

}  // namespace
}  // namespace governor::policy
