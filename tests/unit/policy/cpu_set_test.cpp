// SPDX-License-Identifier: MIT
// CPU lists: what the kernel writes, what people write, and what is none.
#include "policy/cpu_set.hpp"

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace governor::policy {
namespace {

TEST(CpuList, ReadsSingleNumbersAndRanges) {
        EXPECT_EQ(parse_cpu_list("0"), (CpuSet{0}));
        EXPECT_EQ(parse_cpu_list("0-3,8"), (CpuSet{0, 1, 2, 3, 8}));
        EXPECT_EQ(parse_cpu_list("5-5"), (CpuSet{5}));
        EXPECT_EQ(parse_cpu_list("007"), (CpuSet{7}));
}

TEST(CpuList, ReadsWhatSysfsWritesWithItsNewline) {
        EXPECT_EQ(parse_cpu_list("0-1\n"), (CpuSet{0, 1}));
        EXPECT_EQ(parse_cpu_list("\n"), CpuSet{});
        EXPECT_EQ(parse_cpu_list(""), CpuSet{});
}

TEST(CpuList, ReadsSteps) {
        EXPECT_EQ(parse_cpu_list("0-6:2"), (CpuSet{0, 2, 4, 6}));
        EXPECT_EQ(parse_cpu_list("1-6:2,9"), (CpuSet{1, 3, 5, 9}));
        EXPECT_EQ(parse_cpu_list("0-254:2")->size(), 128U);
        EXPECT_EQ(parse_cpu_list("0-3:1"), (CpuSet{0, 1, 2, 3}));
        EXPECT_EQ(parse_cpu_list("0-3:100"), (CpuSet{0}));
}

TEST(CpuList, ReadsGroupsAsTheKernelDoes) {
        EXPECT_EQ(parse_cpu_list("0-10:2/4"), (CpuSet{0, 1, 4, 5, 8, 9}));
        EXPECT_EQ(parse_cpu_list("1-9:1/4"), (CpuSet{1, 5, 9}));
        EXPECT_EQ(parse_cpu_list("0-4:4/4"), (CpuSet{0, 1, 2, 3, 4}));
}

TEST(CpuList, SortsAndUnitesRangesInAnyOrder) {
        EXPECT_EQ(parse_cpu_list("8,0-3"), (CpuSet{0, 1, 2, 3, 8}));
        EXPECT_EQ(parse_cpu_list("2-5,0-3,4,4"), (CpuSet{0, 1, 2, 3, 4, 5}));
}

TEST(CpuList, RefusesWhatIsNoList) {
        for (const auto* text :
             {",",       "0,",      ",0",     "0,,1",      "-",        "-1",      "1-",
              "3-1",     "1-2-3",   "a",      "0x1",       "0 ",       " 0",      "0, 1",
              "0;1",     "+1",      "1.5",    "all",       "0\n\n",    "0\r\n",   "\n0",
              "0:2",     "0-3:",    "0-3:0",  "0-3:2/",    "0-3:/4",   "0-3:0/4", "0-3:5/4",
              "0-3:2/0", "0-3:1:2", "0-3:-1", "0-3:2/4/8", "0-3:65536"})
                EXPECT_FALSE(parse_cpu_list(text)) << '"' << text << '"';
        EXPECT_FALSE(parse_cpu_list(std::string_view("0\0001", 3)));
}

TEST(CpuList, RefusesNumbersAboveTheLimitBeforeAllocatingForThem) {
        EXPECT_EQ(parse_cpu_list("65535"), (CpuSet{65535}));
        EXPECT_EQ(parse_cpu_list("0-65535")->size(), kCpuNumberLimit);
        for (const auto* text : {"65536", "0-65536", "4294967295", "4294967296", "0-4294967295",
                                 "99999999999999999999999999"})
                EXPECT_FALSE(parse_cpu_list(text)) << text;
}

TEST(CpuList, WritesTheShortestForm) {
        EXPECT_EQ(format_cpu_list({}), "");
        EXPECT_EQ(format_cpu_list({0}), "0");
        EXPECT_EQ(format_cpu_list({0, 1}), "0-1");
        EXPECT_EQ(format_cpu_list({0, 2, 4}), "0,2,4");
        EXPECT_EQ(format_cpu_list({0, 1, 2, 3, 8}), "0-3,8");
        EXPECT_EQ(format_cpu_list({7, 65534, 65535}), "7,65534-65535");
}

TEST(CpuList, ReadsBackWhateverItWrote) {
        for (unsigned seed = 1; seed <= 2000; seed++) {
                std::mt19937 random(seed);
                const auto limit = 1U << (1 + random() % 13);
                std::set<std::uint32_t> members;
                for (auto n = random() % 300; n > 0; n--)
                        members.insert(static_cast<std::uint32_t>(random() % limit));
                const CpuSet cpus(members.begin(), members.end());
                const auto text = format_cpu_list(cpus);
                ASSERT_EQ(parse_cpu_list(text), cpus) << "seed " << seed << ": " << text;
                ASSERT_EQ(parse_cpu_list(text + "\n"), cpus) << "seed " << seed << ": " << text;
        }
}

}  // namespace
}  // namespace governor::policy
