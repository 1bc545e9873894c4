// SPDX-License-Identifier: MIT
// Bars from empty to full.
#include "render/bar.hpp"

#include <cstdlib>
#include <gtest/gtest.h>

namespace ctl::render {
namespace {

std::size_t cells(const std::string& text) {
        std::size_t count = 0;
        for (const char c : text)
                count += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
        return count;
}

TEST(Bar, IsEmptyAtNothingAndFullAtEverything) {
        EXPECT_EQ(bar(0, 4, true), "····");
        EXPECT_EQ(bar(10000, 4, true), "████");
        EXPECT_EQ(bar(0, 4, false), "....");
        EXPECT_EQ(bar(10000, 4, false), "####");
}

TEST(Bar, EndsInEighthsOfACell) {
        const char* const expected[] = {"·", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
        for (std::uint32_t eighth = 0; eighth <= 8; eighth++)
                EXPECT_EQ(bar(eighth * 1250, 1, true), expected[eighth]) << eighth;
        EXPECT_EQ(bar(5625, 2, true), "█▏");
        EXPECT_EQ(bar(6250, 4, true), "██▌·");
}

TEST(Bar, RoundsToWholeCellsWithoutUtf8) {
        EXPECT_EQ(bar(5000, 4, false), "##..");
        EXPECT_EQ(bar(4900, 10, false), "#####.....");
        EXPECT_EQ(bar(400, 10, false), "..........");
        EXPECT_EQ(bar(600, 10, false), "#.........");
}

TEST(Bar, IsAlwaysAsWideAsAskedFor) {
        for (const std::size_t width : {0U, 1U, 7U, 20U})
                for (std::uint32_t permyriad = 0; permyriad <= 10000; permyriad += 7)
                        for (const bool utf8 : {false, true})
                                ASSERT_EQ(cells(bar(permyriad, width, utf8)), width) << permyriad;
}

TEST(Bar, IsFullAboveEverything) {
        EXPECT_EQ(bar(UINT32_MAX, 3, true), "███");
        EXPECT_EQ(bar(20000, 3, false), "###");
}

class TerminalLocale : public ::testing::Test {
protected:
        TerminalLocale() {
                for (const auto* name : {"LC_ALL", "LC_CTYPE", "LANG"})
                        unsetenv(name);
        }
};

TEST_F(TerminalLocale, IsNotUtf8UnlessSomethingSaysSo) {
        EXPECT_FALSE(terminal_is_utf8());
        setenv("LANG", "C", 1);
        EXPECT_FALSE(terminal_is_utf8());
        setenv("LANG", "en_US.UTF-8", 1);
        EXPECT_TRUE(terminal_is_utf8());
        setenv("LANG", "en_US.utf8", 1);
        EXPECT_TRUE(terminal_is_utf8());
}

TEST_F(TerminalLocale, FollowsTheStrongestVariableThatIsSet) {
        setenv("LANG", "en_US.UTF-8", 1);
        setenv("LC_CTYPE", "C", 1);
        EXPECT_FALSE(terminal_is_utf8());
        setenv("LC_ALL", "C.UTF-8", 1);
        EXPECT_TRUE(terminal_is_utf8());
        setenv("LC_ALL", "", 1);
        EXPECT_FALSE(terminal_is_utf8());
}

}  // namespace
}  // namespace ctl::render
