// SPDX-License-Identifier: MIT
// Text for a terminal.
#include "top/text.hpp"

#include <gtest/gtest.h>

namespace ctl::top {
namespace {

TEST(Text, FromElsewhereDoesNotSteerTheTerminal) {
        EXPECT_EQ(plain("a\x1b[2J\n\x7f\xc2\x9b z~"), "a?[2J???? z~");
}

TEST(Text, IsCutByCharactersAndSaysSo) {
        EXPECT_EQ(cut("abcdef", 0), "abcdef");
        EXPECT_EQ(cut("abcdef", 6), "abcdef");
        EXPECT_EQ(cut("abcdef", 5), "abcd~");
        EXPECT_EQ(cut("abcdef", 1), "~");
        EXPECT_EQ(cut("█▌··", 4), "█▌··");
        EXPECT_EQ(cut("█▌··", 3), "█▌~");
}

TEST(Text, IsFittedToAWidth) {
        EXPECT_EQ(fitted("ab", 4), "ab  ");
        EXPECT_EQ(fitted("·", 2), "· ");
        EXPECT_EQ(fitted("abcdef", 4), "abc~");
        EXPECT_EQ(fitted("abcdef", 0), "");
}

}  // namespace
}  // namespace ctl::top
