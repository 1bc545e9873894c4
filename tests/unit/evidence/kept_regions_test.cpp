// SPDX-License-Identifier: MIT
#include "evidence/kept_regions.hpp"

#include "policy/numbers.hpp"

#include <gtest/gtest.h>

namespace governor::evidence {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kFirstReport{1000s};

Report ended(std::uint64_t regions, std::chrono::nanoseconds in_all) {
        Report report;
        report.ended = regions;
        report.ended_ns = static_cast<std::uint64_t>(in_all.count());
        return report;
}

Report inside() {
        Report report;
        report.in_region = true;
        return report;
}

TEST(KeptRegions, TakeTheAverageOfThoseThatEndedBetweenTwoReports) {
        KeptRegions regions;
        EXPECT_EQ(regions.length(), 0ns);
        regions.report(ended(10, 10ms), true, kFirstReport);
        EXPECT_EQ(regions.length(), 1ms);
        regions.report(ended(12, 50ms), true, kFirstReport);
        EXPECT_EQ(regions.length(), 20ms);
        regions.report(ended(12, 50ms), true, kFirstReport);
        EXPECT_EQ(regions.length(), 20ms);
        regions.report(ended(13, 2h), true, kFirstReport);
        EXPECT_EQ(regions.length(), 1min);
}

TEST(KeptRegions, RestAfterAWhileOutside) {
        KeptRegions regions;
        regions.report({}, false, kFirstReport);
        EXPECT_EQ(regions.outside_since(), kFirstReport);
        EXPECT_FALSE(regions.rests());
        regions.report({}, false, kFirstReport + numbers::kPoll);
        EXPECT_TRUE(regions.rests());
}

TEST(KeptRegions, DoNotRestWhereOneBeginsOrIsWaitedFor) {
        KeptRegions regions;
        regions.report({}, false, kFirstReport);
        regions.report(inside(), false, kFirstReport + numbers::kPoll);
        EXPECT_FALSE(regions.rests());
        EXPECT_EQ(regions.outside_since(), std::nullopt);

        regions.report({}, false, kFirstReport + 1s);
        regions.report({}, true, kFirstReport + 1s + numbers::kPoll);
        EXPECT_FALSE(regions.rests());
}

}  // namespace
}  // namespace governor::evidence
