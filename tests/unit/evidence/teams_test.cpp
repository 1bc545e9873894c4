// SPDX-License-Identifier: MIT
#include "evidence/teams.hpp"

#include <gtest/gtest.h>

namespace governor::evidence {
namespace {

using std::chrono::seconds;

policy::TimePoint at(int s) { return policy::TimePoint{seconds{1000 + s}}; }

TEST(Teams, AreTheLargestOfLate) {
        Teams teams;
        EXPECT_EQ(teams.largest(), 0U);
        teams.add(8, at(0));
        teams.add(4, at(1));
        EXPECT_EQ(teams.largest(), 8U);
        teams.add(4, at(10));
        EXPECT_EQ(teams.largest(), 8U);
        teams.add(4, at(20));
        EXPECT_EQ(teams.largest(), 4U);
}

TEST(Teams, ForgetWhatWasBeforeALongPause) {
        Teams teams;
        teams.add(8, at(0));
        teams.add(2, at(100));
        EXPECT_EQ(teams.largest(), 2U);
}

}  // namespace
}  // namespace governor::evidence
