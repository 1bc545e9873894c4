// SPDX-License-Identifier: MIT
// INI text as assignments and complaints, each with its line.
#include "config/ini_file.hpp"

#include <gtest/gtest.h>

namespace governor::config {
namespace {

/// "LINE [SECTION] KEY=VALUE" per assignment, then "LINE! MESSAGE" per error. An empty section is
/// "LINE [SECTION]".
std::vector<std::string> lines(std::string_view text) {
        const auto file = parse_ini(text);
        std::vector<std::string> out;
        for (const auto& section : file.sections) {
                const auto name = " [" + section.name + "]";
                for (const auto& a : section.assignments)
                        out.push_back(std::to_string(a.line) + name + " " + a.key + "=" + a.value);
                if (section.assignments.empty() && section.line > 0)
                        out.push_back(std::to_string(section.line) + name);
        }
        for (const auto& e : file.errors)
                out.push_back(std::to_string(e.line) + "! " + e.message);
        return out;
}

using Lines = std::vector<std::string>;

constexpr auto kNotOfTheForm = "not of the form `key = value` or `[section]`";

TEST(IniFile, IsEmptyIfTheTextSaysNothing) {
        EXPECT_EQ(lines(""), Lines{});
        EXPECT_EQ(lines("\n\n  \n\t\n"), Lines{});
        EXPECT_EQ(lines("# one\n; two\n  # three\n\t; four = 4\n"), Lines{});
}

TEST(IniFile, GivesEachAssignmentItsSectionAndLine) {
        EXPECT_EQ(lines("a = 1\n"
                        "[one]\n"
                        "b = 2\n"
                        "\n"
                        "# comment\n"
                        "[two]\n"
                        "c = 3\n"),
                  (Lines{"1 [] a=1", "3 [one] b=2", "7 [two] c=3"}));
}

TEST(IniFile, KnowsSectionsThatAreEmptyOrComeTwice) {
        EXPECT_EQ(lines("[a]\n\n[b]\nc = 1\n[a]\n[b]\nc = 2\n"),
                  (Lines{"1 [a]", "4 [b] c=1", "5 [a]", "7 [b] c=2"}));
}

TEST(IniFile, KeepsWhatStandsBetweenTheBrackets) {
        const std::string longest(150, 'x');
        EXPECT_EQ(lines("[" + longest + "]\na = 1\n"), (Lines{"2 [" + longest + "] a=1"}));
        EXPECT_EQ(lines("[ a  b ]\nc = 1\n[]\nd = 1\n"), (Lines{"2 [ a  b ] c=1", "4 [] d=1"}));
}

TEST(IniFile, DoesNotCountWhiteSpace) {
        EXPECT_EQ(lines("[s]\n  key  =  a value  \nk2=v2\n\tk3\t=\tv3\t\n"),
                  (Lines{"2 [s] key=a value", "3 [s] k2=v2", "4 [s] k3=v3"}));
}

TEST(IniFile, ReadsWindowsLineEndings) {
        EXPECT_EQ(lines("[s]\r\nkey = 1\r\n\r\nother = 2\r\n"),
                  (Lines{"2 [s] key=1", "4 [s] other=2"}));
}

TEST(IniFile, DoesNotNeedANewlineAtItsEnd) {
        EXPECT_EQ(lines("[s]\nkey = 1"), (Lines{"2 [s] key=1"}));
        EXPECT_EQ(lines("[s]\nrubbish"), (Lines{"1 [s]", std::string("2! ") + kNotOfTheForm}));
}

TEST(IniFile, TakesAnIndentedLineForALineOfItsOwn) {
        EXPECT_EQ(lines("[s]\nkey = 1\n    other = 2\n"), (Lines{"2 [s] key=1", "3 [s] other=2"}));
        EXPECT_EQ(lines("[s]\nkey = 1\n    continued\n"),
                  (Lines{"2 [s] key=1", std::string("3! ") + kNotOfTheForm}));
}

TEST(IniFile, CutsCommentsBehindAValueOnlyAfterASpace) {
        EXPECT_EQ(lines("[s]\na = 1 ; why\nb = x;y\nc = 5% # no comment\n"),
                  (Lines{"2 [s] a=1", "3 [s] b=x;y", "4 [s] c=5% # no comment"}));
}

TEST(IniFile, KeepsAllButTheFirstEqualSignInTheValue) {
        EXPECT_EQ(lines("[s]\na = b = c\nd =\n"), (Lines{"2 [s] a=b = c", "3 [s] d="}));
}

TEST(IniFile, ReportsLinesThatAreNoIniWithTheirNumber) {
        EXPECT_EQ(lines("[s]\nrubbish\na = 1\nmore rubbish\n"),
                  (Lines{"3 [s] a=1", std::string("2! ") + kNotOfTheForm,
                         std::string("4! ") + kNotOfTheForm}));
        EXPECT_EQ(lines("[s] ; why\na = 1\n"), (Lines{"2 [s] a=1"}));
}

TEST(IniFile, LeavesOutWhatStandsBelowASectionLineThatIsNone) {
        for (const auto& broken :
             std::vector<std::string>{"[t", "[t] junk", "[", "[" + std::string(8192, 't') + "]"})
                EXPECT_EQ(lines("[s]\na = 1\n" + broken + "\nb = 2\n[u]\nc = 3\n"),
                          (Lines{"2 [s] a=1", "6 [u] c=3",
                                 broken.size() > 8192 ? "3! line longer than 8192 bytes"
                                                      : "3! not of the form `[section]`"}));
        EXPECT_EQ(lines("[s\na = 1\n"), (Lines{"1! not of the form `[section]`"}));
}

TEST(IniFile, RefusesValuesThatWouldBeCommentsBehindWhiteSpace) {
        const std::string why =
                "a value cannot begin with `;`; write white space before a comment, "
                "and `\\;` in a pattern";
        EXPECT_EQ(lines("[s]\na =;x\nb=;\n"),
                  (Lines{"1 [s]", "2! `a = ;x`: " + why, "3! `b = ;`: " + why}));
        EXPECT_EQ(lines("[s]\na = ;x\nb = \\;x\n"), (Lines{"2 [s] a=", "3 [s] b=\\;x"}));
}

TEST(IniFile, ReadsLinesThatAreLongerThanAPath) {
        const std::string path(5000, 'x');
        EXPECT_EQ(lines("[s]\nkey = " + path + " ; why\nb = 2\n"),
                  (Lines{"2 [s] key=" + path, "3 [s] b=2"}));
        EXPECT_EQ(lines("[" + path + "]\nb = 2\n"), (Lines{"2 [" + path + "] b=2"}));
}

TEST(IniFile, ReportsALineThatIsTooLongAndGoesOn) {
        const std::string most = "key = " + std::string(8186, 'x');
        EXPECT_EQ(lines("[s]\n" + most + " ; why\n"),
                  (Lines{"2 [s] " + most.substr(0, 3) + "=" + most.substr(6)}));
        EXPECT_EQ(lines("[s]\n" + most + "x\nb = 2\n"),
                  (Lines{"3 [s] b=2", "2! line longer than 8192 bytes"}));
        EXPECT_EQ(lines("# " + std::string(100'000, '-') + "\nb = 2\n"), (Lines{"2 [] b=2"}))
                << "comments may be long";
}

TEST(IniFile, TakesNoWhiteSpaceForAContinuation) {
        EXPECT_EQ(lines("[s]\na = 1\n\fb = 2\n\v c = 3\n"),
                  (Lines{"2 [s] a=1", "3 [s] b=2", "4 [s] c=3"}));
}

TEST(IniFile, MayStartWithAByteOrderMark) {
        EXPECT_EQ(lines("\xef\xbb\xbf[s]\na = 1\n"), (Lines{"2 [s] a=1"}));
}

TEST(IniFile, TakesAKeyBehindACommentForNone) {
        EXPECT_EQ(lines("[s]\na ; = 1\n"), (Lines{"1 [s]", std::string("2! ") + kNotOfTheForm}));
}

TEST(IniFile, ReportsNulBytes) {
        EXPECT_EQ(lines(std::string_view("[s]\na\0b = 1\nc = 2\n", 18)),
                  (Lines{"3 [s] c=2", "2! line with a NUL byte"}));
        EXPECT_EQ(lines(std::string_view("[s]\nc = 2\n\0", 11)),
                  (Lines{"2 [s] c=2", "3! line with a NUL byte"}));
}

}  // namespace
}  // namespace governor::config
