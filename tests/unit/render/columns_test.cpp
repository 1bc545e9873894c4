// SPDX-License-Identifier: MIT
// The text that may be shown, and the room that it takes.
#include "render/columns.hpp"

#include <gtest/gtest.h>
#include <random>
#include <string>

namespace ctl::render {
namespace {

TEST(Printable, KeepsTheLettersOfAllLanguages) {
        for (const std::string text :
             {"", "plain ~", "Größe", "Ελλάδα", "日本語", "👍🏽", "e\u0301"})
                EXPECT_EQ(printable(text), text);
}

TEST(Printable, ShowsWhereSomethingWouldSteerTheTerminal) {
        EXPECT_EQ(printable("a\x1b[2J\n\r\t\x7f z"), "a?[2J???? z");
        EXPECT_EQ(printable("\u009b31m"), "?31m") << "C1, which some terminals obey";
        EXPECT_EQ(printable("a\u2028b\u2029c"), "a?b?c") << "these end a line";
        EXPECT_EQ(printable("\u202egpj.exe"), "?gpj.exe") << "read from right to left";
        EXPECT_EQ(printable("\u202a\u2066\u2069\u200f\u061c"), "?????");
        EXPECT_EQ(printable(std::string("a\0b", 3)), "a?b");
}

TEST(Printable, MarksEachByteThatIsNoUtf8) {
        EXPECT_EQ(printable("\xff\xfe"), "??");
        EXPECT_EQ(printable("\xc3"), "?") << "cut off";
        EXPECT_EQ(printable("\xe2\x82z"), "??z");
        EXPECT_EQ(printable("\xc0\xaf"), "??") << "an overlong slash";
        EXPECT_EQ(printable("\xed\xa0\x80"), "???") << "a surrogate";
        EXPECT_EQ(printable("\xf4\x90\x80\x80"), "????") << "beyond the last";
}

TEST(Printable, IsPrintableAndNoLongerWhateverItWas) {
        std::mt19937 random(7);
        for (int round = 0; round < 20'000; round++) {
                std::string text(random() % 12, '\0');
                for (auto& byte : text)
                        byte = static_cast<char>(random() % 3 == 0 ? random() % 128 : random());
                const auto clean = printable(text);
                EXPECT_LE(clean.size(), text.size());
                EXPECT_EQ(printable(clean), clean);
                EXPECT_LE(width_of(clean), 2 * clean.size());
                EXPECT_EQ(clean.find_first_of("\x1b\n\x7f"), clean.npos);
        }
}

TEST(Width, IsThatOfATerminal) {
        EXPECT_EQ(width_of(""), 0U);
        EXPECT_EQ(width_of("abc"), 3U);
        EXPECT_EQ(width_of("Größe"), 5U);
        EXPECT_EQ(width_of("e\u0301"), 1U) << "an accent stands above";
        EXPECT_EQ(width_of("日本"), 4U);
        EXPECT_EQ(width_of("👍🏽"), 2U) << "the colour of the skin takes no room";
        EXPECT_EQ(width_of("█▌·"), 3U);
        EXPECT_EQ(width_of("\xff\xc3"), 2U);
}

TEST(Cut, SaysSo) {
        EXPECT_EQ(cut("abcdef", 0), "abcdef");
        EXPECT_EQ(cut("abcdef", 6), "abcdef");
        EXPECT_EQ(cut("abcdef", 5), "abcd~");
        EXPECT_EQ(cut("abcdef", 1), "~");
        EXPECT_EQ(cut("█▌··", 4), "█▌··");
        EXPECT_EQ(cut("█▌··", 3), "█▌~");
}

TEST(Cut, TakesNoHalfOfAWideCharacterAndLeavesItsAccents) {
        EXPECT_EQ(cut("日本語", 6), "日本語");
        EXPECT_EQ(cut("日本語", 5), "日本~");
        EXPECT_EQ(cut("日本語", 4), "日~");
        EXPECT_EQ(cut("日本語", 1), "~");
        EXPECT_EQ(cut("e\u0301e\u0301e\u0301", 2), "e\u0301~");
}

}  // namespace
}  // namespace ctl::render
