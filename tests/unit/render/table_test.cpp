// SPDX-License-Identifier: MIT
// Columns that line up.
#include "render/table.hpp"

#include <gtest/gtest.h>

namespace ctl::render {
namespace {

TEST(Table, IsAsWideAsItsWidestCells) {
        EXPECT_EQ(table({{"NAME"}, {"N", Align::Right}, {"REST"}},
                        {{"a", "1", "x"}, {"longer", "100", "yz"}}),
                  "NAME      N  REST\n"
                  "a         1  x\n"
                  "longer  100  yz\n");
}

TEST(Table, HasNoSpacesAtTheEndOfALine) {
        EXPECT_EQ(table({{"A"}, {"LONG TITLE"}}, {{"1", "x"}, {"2", ""}, {"", ""}}),
                  "A  LONG TITLE\n1  x\n2\n\n");
}

TEST(Table, CountsCharactersNotBytes) {
        EXPECT_EQ(table({{"BAR"}, {"N", Align::Right}}, {{"██▌·", "1"}, {"ab", "22"}}),
                  "BAR    N\n██▌·   1\nab    22\n");
        EXPECT_EQ(table({{"é", Align::Right}, {"N"}}, {{"xyz", "1"}, {"ü", "2"}}),
                  "  é  N\nxyz  1\n  ü  2\n");
}

TEST(Table, LinesUpWideCharactersAndThoseThatCombine) {
        EXPECT_EQ(table({{"A"}, {"B"}}, {{"日本", "1"}, {"e\u0301", "2"}, {"abcd", "3"}}),
                  "A     B\n日本  1\ne\u0301     2\nabcd  3\n");
}

TEST(Table, HasNoTitleLineWithoutTitles) {
        EXPECT_EQ(table({{""}, {"", Align::Right}}, {{"key", "1"}, {"k", "10"}}),
                  "key   1\nk    10\n");
        EXPECT_EQ(table({{""}, {"N"}}, {{"key", "1"}}), "     N\nkey  1\n");
}

TEST(Table, IsItsTitlesIfThereAreNoRows) {
        EXPECT_EQ(table({{"A"}, {"B"}}, {}), "A  B\n");
        EXPECT_EQ(table({}, {}), "");
}

}  // namespace
}  // namespace ctl::render
