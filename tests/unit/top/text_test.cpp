// SPDX-License-Identifier: MIT
// Text on a screen.
#include "top/text.hpp"

#include <gtest/gtest.h>

namespace ctl::top {
namespace {

TEST(Text, IsFittedToAWidth) {
        EXPECT_EQ(fitted("ab", 4), "ab  ");
        EXPECT_EQ(fitted("·", 2), "· ");
        EXPECT_EQ(fitted("abcdef", 4), "abc~");
        EXPECT_EQ(fitted("abcdef", 0), "");
        EXPECT_EQ(fitted("日本語", 4), "日~ ");
}

}  // namespace
}  // namespace ctl::top
