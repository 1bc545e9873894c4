// SPDX-License-Identifier: MIT
// The parser of /proc/loadavg on recorded, cut and broken text.
#include "probe/loadavg.hpp"

#include <gtest/gtest.h>

namespace governor::probe {
namespace {

TEST(Loadavg, ReadsHowManyThreadsRun) {
        EXPECT_EQ(parse_running("0.69 1.70 1.89 3/214 30681\n"), 3U);
        EXPECT_EQ(parse_running("0.00 0.00 0.00 1/90 7\n"), 1U);
}

TEST(Loadavg, RefusesWhatIsCutOrOfAnotherForm) {
        for (const auto* text : {"", "\n", "0.69 1.70 1.89 3/214 30681", "0.69 1.70 1.89 3/214\n",
                                 "0.69 1.70 1.89 3\n", "0.69 1.70 3/214 30681\n",
                                 "0.69 1.70 1.89 -3/214 30681\n", "0.69 1.70 1.89 a/214 30681\n"})
                EXPECT_FALSE(parse_running(text)) << text;
}

}  // namespace
}  // namespace governor::probe
