// SPDX-License-Identifier: MIT
// The words of `explain` about regions that were timed.
#include "render/region_times.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace ctl::render {
namespace {

void add(governor::v1::Explanation& explanation, std::uint32_t from, std::uint32_t to,
         std::uint64_t count, std::uint64_t mean_ns) {
        auto& time = *explanation.add_region_time();
        time.set_team_from(from);
        time.set_team_to(to);
        time.set_count(count);
        time.set_mean_ns(mean_ns);
}

TEST(RegionTime, HasThreeDigitsAndAUnit) {
        EXPECT_EQ(region_time(0), "0 ns");
        EXPECT_EQ(region_time(999), "999 ns");
        EXPECT_EQ(region_time(1'000), "1.00 us");
        EXPECT_EQ(region_time(9'994), "9.99 us");
        EXPECT_EQ(region_time(9'996), "10.0 us");
        EXPECT_EQ(region_time(12'340), "12.3 us");
        EXPECT_EQ(region_time(99'960), "100 us");
        EXPECT_EQ(region_time(999'400), "999 us");
        EXPECT_EQ(region_time(999'600), "1.00 ms");
        EXPECT_EQ(region_time(2'100'000), "2.10 ms");
        EXPECT_EQ(region_time(345'600'000), "346 ms");
        EXPECT_EQ(region_time(61'000'000'000), "61.0 s");
        EXPECT_EQ(region_time(std::numeric_limits<std::uint64_t>::max()), "18446744074 s");
}

TEST(RegionTimes, NameTheTeamsAndHowManyThereWere) {
        governor::v1::Explanation explanation;
        EXPECT_EQ(region_times(explanation), "");
        add(explanation, 1, 1, 1'200, 2'100'000);
        EXPECT_EQ(region_times(explanation), "1 thread 2.10 ms (1200)");
        add(explanation, 2, 3, 300, 1'120'000);
        add(explanation, 32'768, 0, 1, 900);
        EXPECT_EQ(region_times(explanation), "1 thread 2.10 ms (1200), 2-3 threads 1.12 ms (300), "
                                             "32768 or more threads 900 ns (1)");
}

}  // namespace
}  // namespace ctl::render
