// SPDX-License-Identifier: MIT
// The list format, in the form that the kernel writes and in none other.
#include "cpu_ranges.hpp"

#include <gtest/gtest.h>

namespace threadcount::pool {
namespace {

using Ranges = std::vector<CpuRange>;

TEST(CpuRanges, AreReadAsTheKernelWritesThem) {
        EXPECT_EQ(parse_cpu_ranges("0\n"), (Ranges{{0, 0}}));
        EXPECT_EQ(parse_cpu_ranges("0-3,8,10-11\n"), (Ranges{{0, 3}, {8, 8}, {10, 11}}));
        EXPECT_EQ(parse_cpu_ranges("7,4095"), (Ranges{{7, 7}, {4095, 4095}}));
        EXPECT_EQ(parse_cpu_ranges("0-65535"), (Ranges{{0, 65535}}));
}

TEST(CpuRanges, OfAnythingElseAreNone) {
        for (const auto* const text : {"",        "\n",
                                       "\n\n",    "0\n\n",
                                       " 0",      "0 ",
                                       "0,",      ",0",
                                       "0,,1",    "0-",
                                       "-0",      "-",
                                       ",",       "0--1",
                                       "0-1-2",   "3-1",
                                       "1,0",     "1,1",
                                       "0-4,4",   "0-65536",
                                       "65536",   "99999999999999999999",
                                       "+1",      "0x1",
                                       "0-7:2/4", "all"}) {
                SCOPED_TRACE(text);
                EXPECT_TRUE(parse_cpu_ranges(text).empty());
        }
        EXPECT_TRUE(parse_cpu_ranges(std::string_view("0\0", 2)).empty());
}

TEST(CpuRanges, ContainTheirBounds) {
        const auto ranges = parse_cpu_ranges("2-4,9");
        for (const auto cpu : {2U, 3U, 4U, 9U})
                EXPECT_TRUE(contains(ranges, cpu)) << cpu;
        for (const auto cpu : {0U, 1U, 5U, 8U, 10U})
                EXPECT_FALSE(contains(ranges, cpu)) << cpu;
        EXPECT_FALSE(contains({}, 0));
}

}  // namespace
}  // namespace threadcount::pool
