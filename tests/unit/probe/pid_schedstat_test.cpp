// SPDX-License-Identifier: MIT
// The parser of /proc/PID/schedstat on recorded, cut and broken text.
#include "probe/pid_schedstat.hpp"

#include <gtest/gtest.h>

namespace governor::probe {
namespace {

using std::chrono::nanoseconds;

TEST(PidSchedstat, ReadsTimes) {
        const auto read = parse_pid_schedstat("1520013 48211 17\n");
        ASSERT_TRUE(read);
        EXPECT_EQ(read->cpu_time, nanoseconds{1'520'013});
        EXPECT_EQ(read->waited, nanoseconds{48'211});
        EXPECT_TRUE(parse_pid_schedstat("0 0 0\n")) << "a kernel that does not count";
}

TEST(PidSchedstat, RefusesWhatIsCutOrOfAnotherForm) {
        for (const auto* text : {"", "\n", "1520013 48211 17", "1520013 48211\n", "1520013 4821",
                                 "1520013\n", "a 1 2\n", "1 -1 2\n", "-1 1 2\n", "1 2 3 4\n",
                                 "1  2 3\n", "99999999999999999999 1 2\n"})
                EXPECT_FALSE(parse_pid_schedstat(text)) << text;
}

}  // namespace
}  // namespace governor::probe
