// SPDX-License-Identifier: MIT
// The rules that apply to a program, and their effect together.
#include "policy/fair/rules.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace governor::policy::fair {
namespace {

const Program kSolver{1000, "nightly", "/opt/solver/bin/solve"};

Rule rule(std::string name) {
        Rule rule;
        rule.name = std::move(name);
        return rule;
}

Rule of_user(std::uint32_t uid) {
        Rule rule;
        rule.uid = uid;
        return rule;
}

bool label_applies(const char* pattern, std::string_view label) {
        Rule rule;
        rule.label = pattern;
        return applies(rule, {1000, label, "/bin/x"});
}

bool executable_applies(const char* pattern, std::string_view executable) {
        Rule rule;
        rule.executable = pattern;
        return applies(rule, {1000, "", executable});
}

TEST(Rule, ThatAsksForNothingAppliesToAll) {
        EXPECT_TRUE(applies(Rule{}, Program{}));
        EXPECT_TRUE(applies(Rule{}, kSolver));
}

TEST(Rule, MayAskForAUser) {
        EXPECT_TRUE(applies(of_user(1000), kSolver));
        EXPECT_FALSE(applies(of_user(1001), kSolver));
        EXPECT_TRUE(applies(of_user(0), Program{}));
}

TEST(Rule, MayAskForALabel) {
        EXPECT_TRUE(label_applies("night*", "nightly"));
        EXPECT_FALSE(label_applies("night", "nightly"));
        EXPECT_TRUE(label_applies("*", ""));
        EXPECT_FALSE(label_applies("?*", ""));
}

TEST(Rule, MayAskForAnExecutableByItsName) {
        EXPECT_TRUE(executable_applies("solve", "/opt/solver/bin/solve"));
        EXPECT_TRUE(executable_applies("sol*", "/opt/solver/bin/solve"));
        EXPECT_TRUE(executable_applies("solve", "solve"));
        EXPECT_FALSE(executable_applies("solver", "/opt/solver/bin/solve"));
}

TEST(Rule, MayAskForAnExecutableByItsPath) {
        EXPECT_TRUE(executable_applies("/opt/solver/bin/solve", "/opt/solver/bin/solve"));
        EXPECT_TRUE(executable_applies("/opt/*", "/opt/solver/bin/solve"));
        EXPECT_TRUE(executable_applies("*/bin/solve", "/opt/solver/bin/solve"));
        EXPECT_FALSE(executable_applies("bin/solve", "/opt/solver/bin/solve"));
        EXPECT_FALSE(executable_applies("/solve", "/opt/solver/bin/solve"));
}

TEST(Rule, DoesNotApplyToAnExecutableThatIsNotKnown) {
        EXPECT_FALSE(executable_applies("*", ""));
        EXPECT_FALSE(executable_applies("", ""));
}

TEST(Rule, AppliesOnlyIfEverythingFits) {
        auto both = of_user(1000);
        both.label = "night*";
        both.executable = "solve";
        EXPECT_TRUE(applies(both, kSolver));
        EXPECT_FALSE(applies(both, {1001, "nightly", "/opt/solver/bin/solve"}));
        EXPECT_FALSE(applies(both, {1000, "daily", "/opt/solver/bin/solve"}));
        EXPECT_FALSE(applies(both, {1000, "nightly", "/bin/sh"}));
}

TEST(Rules, SayNothingWhereNoneApplies) {
        EXPECT_EQ(combine({}, kSolver), Rule{});
        EXPECT_EQ(combine(std::vector{of_user(1)}, kSolver), Rule{});
}

TEST(Rules, LetALaterOneWinWhereBothSaySomething) {
        auto first = rule("first");
        first.weight = 50;
        first.max = 8;
        first.scheduling_class = Class::Batch;
        auto second = rule("second");
        second.weight = 200;
        second.min = 2;
        second.ignore = false;
        second.adapts = true;
        auto expected = rule("first, second");
        expected.weight = 200;
        expected.min = 2;
        expected.max = 8;
        expected.scheduling_class = Class::Batch;
        expected.ignore = false;
        expected.adapts = true;
        EXPECT_EQ(combine(std::vector{first, second}, kSolver), expected);
        expected.name = "second, first";
        expected.weight = 50;
        EXPECT_EQ(combine(std::vector{second, first}, kSolver), expected);
}

TEST(Rules, AreNamedAfterThoseThatApplyAndAskForNothing) {
        auto mine = of_user(1000);
        mine.name = "mine";
        mine.label = "*";
        mine.executable = "solve";
        mine.max = 4;
        auto other = of_user(1001);
        other.name = "other";
        other.max = 2;
        auto expected = rule("mine, all");
        expected.max = 4;
        EXPECT_EQ(combine(std::vector{mine, other, rule("all")}, kSolver), expected);
}

TEST(Rules, CanTakeBackWhatAnEarlierOneIgnored) {
        auto ignored = rule("a");
        ignored.ignore = true;
        auto governed = rule("b");
        governed.ignore = false;
        EXPECT_EQ(combine(std::vector{ignored, governed}, kSolver).ignore, false);
        EXPECT_EQ(combine(std::vector{governed, ignored}, kSolver).ignore, true);
}

TEST(Rules, LetTeamsFollowUntilALaterOneTakesItBack) {
        auto adapt = rule("a");
        adapt.adapts = true;
        auto keep = rule("b");
        keep.adapts = false;
        EXPECT_TRUE(lets_teams_follow(combine(std::vector{keep, adapt}, kSolver)));
        EXPECT_FALSE(lets_teams_follow(combine(std::vector{adapt, keep}, kSolver)));
        EXPECT_TRUE(lets_teams_follow(combine(std::vector{adapt, rule("c")}, kSolver)));
        EXPECT_FALSE(lets_teams_follow(Rule{}));
}

TEST(Rules, LetNoTeamsFollowOfAProgramThatIsLeftAlone) {
        auto left_alone = rule("a");
        left_alone.adapts = true;
        left_alone.ignore = true;
        EXPECT_FALSE(lets_teams_follow(left_alone));
        left_alone.ignore = false;
        EXPECT_TRUE(lets_teams_follow(left_alone));
}

TEST(Rules, GuaranteeNoMoreThanTheyAllow) {
        auto much = rule("a");
        much.min = 8;
        auto little = rule("b");
        little.max = 4;
        EXPECT_EQ(combine(std::vector{much, little}, kSolver).min, 4U);
        EXPECT_EQ(combine(std::vector{little, much}, kSolver).min, 4U);
        EXPECT_EQ(combine(std::vector{little, much}, kSolver).max, 4U);
}

}  // namespace
}  // namespace governor::policy::fair
