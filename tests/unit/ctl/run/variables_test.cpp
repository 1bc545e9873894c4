// SPDX-License-Identifier: MIT
// What becomes of the variables that programs read at their start.
#include "ctl/run/variables.hpp"

#include <gtest/gtest.h>
#include <map>

namespace ctl::run {
namespace {

Lookup environment(std::map<std::string, std::string> values) {
        return [values = std::move(values)](const char* name) -> const char* {
                const auto found = values.find(name);
                return found == values.end() ? nullptr : found->second.c_str();
        };
}

std::string after(const std::string& set, std::uint32_t threads) {
        const auto change = lowered("X", threads, environment({{"X", set}}));
        return change ? change->after : "as it was";
}

TEST(Variables, AreLoweredAndNeverRaised) {
        EXPECT_EQ(after("32", 14), "14");
        EXPECT_EQ(after("14", 14), "as it was");
        EXPECT_EQ(after("1", 14), "as it was");
}

TEST(Variables, KeepTheInnerLevelsOfAList) {
        EXPECT_EQ(after("9,2", 3), "3,2");
        EXPECT_EQ(after("2,9", 3), "as it was");
}

TEST(Variables, ThatAreNoNumberAreReplaced) {
        for (const auto* word : {"", "0", "auto", "-1", "99999999999", "3x"})
                EXPECT_EQ(after(word, 3), "3") << word;
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
