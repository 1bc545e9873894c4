// SPDX-License-Identifier: MIT
// Values with units.
#include "config/units.hpp"

#include <gtest/gtest.h>

namespace governor::config {
namespace {

using std::chrono::milliseconds;

TEST(Duration, ReadsEveryUnit) {
        EXPECT_EQ(parse_duration("50ms"), milliseconds{50});
        EXPECT_EQ(parse_duration("1s"), milliseconds{1000});
        EXPECT_EQ(parse_duration("2min"), milliseconds{120'000});
        EXPECT_EQ(parse_duration("3h"), milliseconds{10'800'000});
        EXPECT_EQ(parse_duration("0s"), milliseconds{0});
}

TEST(Duration, ReadsFractionsAndASpaceBeforeTheUnit) {
        EXPECT_EQ(parse_duration("1.5s"), milliseconds{1500});
        EXPECT_EQ(parse_duration("0.05s"), milliseconds{50});
        EXPECT_EQ(parse_duration("0.001s"), milliseconds{1});
        EXPECT_EQ(parse_duration("0.25min"), milliseconds{15'000});
        EXPECT_EQ(parse_duration("50 ms"), milliseconds{50});
        EXPECT_EQ(parse_duration("0.4ms"), milliseconds{0});
        EXPECT_EQ(parse_duration("0.5ms"), milliseconds{1});
}

TEST(Duration, ReadsNoMoreThanADay) {
        EXPECT_EQ(parse_duration("24h"), milliseconds{86'400'000});
        for (const auto* text : {"24.001h", "1441min", "86401s", "86400001ms", "999999999999h"})
                EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(Duration, RefusesWhatHasNoUnitOrIsNoNumber) {
        for (const auto* text :
             {"",       "1",    "s",   "1.",  "1.s", ".5s",      "1..5s", "1.2.3s",
              "-1s",    "+1s",  " 1s", "1s ", "1S",  "1sec",     "1 s s", "1e3ms",
              "0x10ms", "1,5s", "1m",  "1us", "1d",  "infinity", "nan",   "1234567890123ms"})
                EXPECT_FALSE(parse_duration(text)) << '"' << text << '"';
}

TEST(Duration, IsWrittenInItsLargestWholeUnit) {
        EXPECT_EQ(format_duration(milliseconds{50}), "50ms");
        EXPECT_EQ(format_duration(milliseconds{1000}), "1s");
        EXPECT_EQ(format_duration(milliseconds{1500}), "1500ms");
        EXPECT_EQ(format_duration(milliseconds{60'000}), "1min");
        EXPECT_EQ(format_duration(milliseconds{90'000}), "90s");
        EXPECT_EQ(format_duration(milliseconds{86'400'000}), "24h");
        EXPECT_EQ(format_duration(milliseconds{0}), "0ms");
}

TEST(Duration, IsReadBackAsItWasWritten) {
        for (std::int64_t ms = 0; ms <= 86'400'000; ms += ms < 70'000 ? 1 : 1777)
                ASSERT_EQ(parse_duration(format_duration(milliseconds{ms})), milliseconds{ms});
}

TEST(Percentage, ReadsWholeAndBrokenNumbers) {
        EXPECT_EQ(parse_percent("0%"), 0U);
        EXPECT_EQ(parse_percent("5%"), 500U);
        EXPECT_EQ(parse_percent("2.5%"), 250U);
        EXPECT_EQ(parse_percent("0.01%"), 1U);
        EXPECT_EQ(parse_percent("33.33%"), 3333U);
        EXPECT_EQ(parse_percent("99.99%"), 9999U);
        EXPECT_EQ(parse_percent("100%"), 10000U);
        EXPECT_EQ(parse_percent("100.00%"), 10000U);
        EXPECT_EQ(parse_percent("5 %"), 500U);
}

TEST(Percentage, RefusesWhatIsNone) {
        for (const auto* text : {"", "%", "5", "500", "0.05", "100.01%", "101%", "-5%", "+5%",
                                 "5%%", "5% ", " 5%", "5percent", "1e1%", ".5%", "5.%", "five%"})
                EXPECT_FALSE(parse_percent(text)) << '"' << text << '"';
}

TEST(Number, IsDecimalDigitsOnly) {
        EXPECT_EQ(parse_number("0"), 0U);
        EXPECT_EQ(parse_number("0100"), 100U);
        EXPECT_EQ(parse_number("4294967295"), UINT32_MAX);
        for (const auto* text : {"", "4294967296", "99999999999999999999", "-1", "+1", " 1", "1 ",
                                 "1.0", "0x10", "1e3", "one"})
                EXPECT_FALSE(parse_number(text)) << '"' << text << '"';
}

TEST(YesOrNo, IsOneOfTheTwo) {
        EXPECT_EQ(parse_yes("yes"), true);
        EXPECT_EQ(parse_yes("no"), false);
        for (const auto* text : {"", "Yes", "y", "true", "1", " yes", "yes ", "no\n"})
                EXPECT_FALSE(parse_yes(text)) << '"' << text << '"';
        EXPECT_EQ(format_yes(true), "yes");
        EXPECT_EQ(format_yes(false), "no");
}

}  // namespace
}  // namespace governor::config
