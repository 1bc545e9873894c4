// SPDX-License-Identifier: MIT
// The values that `run` gives to the variables that programs read at their start.
#include "ctl/run/variables.hpp"

#include "ctl/run/made_up_environment.hpp"

#include <gtest/gtest.h>

namespace ctl::run {
namespace {

std::string lowered_from(const std::string& set, std::uint32_t threads) {
        const auto change = lowered("X", threads, environment({{"X", set}}));
        return change ? change->after : "as it was";
}

TEST(Variables, AreLoweredAndNeverRaised) {
        EXPECT_EQ(lowered_from("32", 14), "14");
        EXPECT_EQ(lowered_from("14", 14), "as it was");
        EXPECT_EQ(lowered_from("1", 14), "as it was");
}

TEST(Variables, KeepTheInnerLevelsOfAList) {
        EXPECT_EQ(lowered_from("9,2", 3), "3,2");
        EXPECT_EQ(lowered_from("2,9", 3), "as it was");
}

TEST(Variables, ThatAreNoNumberAreReplaced) {
        for (const auto* word : {"", "0", "auto", "-1", "99999999999", "3x"})
                EXPECT_EQ(lowered_from(word, 3), "3") << word;
}

/// libgomp reads them by strtoul(3).
TEST(Variables, WithBlanksOrASignAreNotRaised) {
        for (const auto* four : {"4 ", " 4", "+4", " +4", "\t4\n", "4"})
                EXPECT_EQ(lowered_from(four, 3), "3") << four;
        for (const auto* four : {"4 ", " 4", "+4", " +4", "\t4\n"})
                EXPECT_EQ(lowered_from(four, 14), "4") << four;
        EXPECT_EQ(lowered_from("4 ,2", 14), "4,2");
        EXPECT_EQ(lowered_from("4 , 2", 3), "3, 2");
        for (const auto* none : {"++4", "+ 4", "4 4", " ", "+"})
                EXPECT_EQ(lowered_from(none, 14), "14") << none;
}

TEST(Variables, SayWhatTheUserHadSet) {
        const auto unset = lowered("X", 4, environment({}));
        ASSERT_TRUE(unset.has_value());
        EXPECT_FALSE(unset->before.has_value());
        const auto set = lowered("X", 4, environment({{"X", "32"}}));
        ASSERT_TRUE(set.has_value());
        EXPECT_EQ(set->before, "32");
}

TEST(Variables, HaveNoneThatWouldKeepGoFromFollowing) {
        bool has_loky = false;
        for (const auto& change : all_lowered(2, environment({{"GOMAXPROCS", "64"}}))) {
                EXPECT_NE(change.name, "GOMAXPROCS");
                has_loky |= change.name == "LOKY_MAX_CPU_COUNT";
        }
        EXPECT_TRUE(has_loky);
}

}  // namespace
}  // namespace ctl::run
