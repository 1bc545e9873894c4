// SPDX-License-Identifier: MIT
// Shell patterns, and that they agree with the C library's where both know an answer.
#include "policy/shell_pattern.hpp"

#include <fnmatch.h>
#include <gtest/gtest.h>
#include <random>
#include <string>

namespace governor::policy {
namespace {

void expect_matches(std::string_view pattern, std::initializer_list<std::string_view> texts) {
        for (const auto text : texts)
                EXPECT_TRUE(matches_shell_pattern(pattern, text)) << pattern << " on " << text;
}

void expect_differs(std::string_view pattern, std::initializer_list<std::string_view> texts) {
        for (const auto text : texts)
                EXPECT_FALSE(matches_shell_pattern(pattern, text)) << pattern << " on " << text;
}

TEST(ShellPattern, WithoutSpecialBytesIsTheTextItself) {
        expect_matches("", {""});
        expect_matches("gcc", {"gcc"});
        expect_differs("gcc", {"", "gc", "gccc", "agcc", "Gcc"});
        expect_differs("", {"a"});
}

TEST(ShellPattern, StarTakesAnyBytesSlashesToo) {
        expect_matches("*", {"", "a", "a/b", ".hidden", std::string_view("\0\n", 2), "\xff"});
        expect_matches("/opt/*", {"/opt/", "/opt/a/b/c"});
        expect_differs("/opt/*", {"/opt", "/usr/opt/a"});
        expect_matches("a*b*c", {"abc", "aabbcc", "abcbc", "a-b-b-c"});
        expect_differs("a*b*c", {"ac", "abcd", "acb"});
        expect_matches("**a**", {"a", "bab"});
}

TEST(ShellPattern, QuestionMarkTakesOneByte) {
        expect_matches("a?c", {"abc", "a?c", "a/c"});
        expect_differs("a?c", {"ac", "abbc",
                               "a\xc3\xa4"
                               "c"});
        expect_matches("??*", {"ab", "abc"});
        expect_differs("??*", {"", "a"});
}

TEST(ShellPattern, BracketsTakeOneByteOfASet) {
        expect_matches("[abc]", {"a", "b", "c"});
        expect_differs("[abc]", {"", "d", "ab", "[abc]"});
        expect_matches("gcc-[0-9][0-9]", {"gcc-12"});
        expect_differs("gcc-[0-9][0-9]", {"gcc-1", "gcc-1a"});
        expect_matches("[!a-z]", {"A", "0", "-", "\xe9"});
        expect_differs("[!a-z]", {"", "m"});
        expect_matches("[^a]", {"b"});
        expect_matches("[]a]", {"]", "a"});
        expect_differs("[!]a]", {"]", "a"});
        expect_matches("[a-]", {"a", "-"});
        expect_matches("[*?]", {"*", "?"});
        expect_differs("[*?]", {"a", ""});
        expect_differs("[z-a]", {"m", "z", "a"});
}

TEST(ShellPattern, BracketThatDoesNotEndStandsForItself) {
        expect_matches("[", {"["});
        expect_matches("[]", {"[]"});
        expect_matches("a[b*", {"a[b", "a[bc"});
        expect_differs("[ab", {"a", "b"});
}

TEST(ShellPattern, BackslashTakesTheNextByteAsItIs) {
        expect_matches(R"(\*)", {"*"});
        expect_differs(R"(\*)", {"", "a", R"(\*)"});
        expect_matches(R"(a\[b])", {"a[b]"});
        expect_matches(R"(\\)", {R"(\)"});
        expect_matches(R"(a\)", {R"(a\)"});
}

TEST(ShellPattern, BeginsWithAnElement) {
        using Kind = PatternElement::Kind;
        const auto expect = [](std::string_view pattern, Kind kind, std::size_t length, char byte) {
                const auto element = first_element(pattern);
                EXPECT_EQ(element.kind, kind) << pattern;
                EXPECT_EQ(element.length, length) << pattern;
                EXPECT_EQ(element.byte, byte) << pattern;
        };
        expect("ab", Kind::Byte, 1, 'a');
        expect(R"(\*b)", Kind::Byte, 2, '*');
        expect(R"(\)", Kind::Byte, 1, '\\');
        expect("[ab", Kind::Byte, 1, '[');
        expect("**", Kind::AnyBytes, 1, '\0');
        expect("?*", Kind::AnyByte, 1, '\0');
        expect("[!]a]b]", Kind::Set, 5, '\0');
}

TEST(ShellPattern, IsNotSlowedDownByHostileTexts) {
        std::string pattern;
        for (int i = 0; i < 60; i++)
                pattern += "*a";
        pattern += "b";
        EXPECT_FALSE(matches_shell_pattern(pattern, std::string(100'000, 'a')))
                << "with a step back for each star, this would not end";
}

TEST(ShellPattern, AgreesWithTheCLibraryInTheCLocale) {
        std::mt19937 random(7);
        const auto some = [&](std::string_view alphabet, std::size_t most) {
                std::string text(random() % (most + 1), ' ');
                for (auto& byte : text)
                        byte = alphabet[random() % alphabet.size()];
                return text;
        };
        int matched = 0;
        for (int i = 0; i < 200'000; i++) {
                const auto pattern = some("ab*?/", 7);
                const auto set = random() % 2 != 0 ? "[" + some("ab/", 3) + "a]" : "";
                const auto text = some("ab/", 8);
                const bool expected = ::fnmatch((pattern + set).c_str(), text.c_str(), 0) == 0;
                ASSERT_EQ(matches_shell_pattern(pattern + set, text), expected)
                        << pattern + set << " on " << text;
                matched += expected ? 1 : 0;
        }
        EXPECT_GT(matched, 1000);
}

}  // namespace
}  // namespace governor::policy
