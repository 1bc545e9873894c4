// SPDX-License-Identifier: MIT
// Idle time of made-up machines, and of this one.
#include "idle_time.hpp"

#include "support/temporary_directory.hpp"

#include <gtest/gtest.h>

namespace threadcount {
namespace {

using test_support::TemporaryDirectory;

TEST(IdleTime, IsIdleAndIowaitOfAllCpus) {
        const TemporaryDirectory root;
        root.write("proc/stat", "cpu  10 20 30 4000 500 0 0 0 0 0\ncpu0 1 2 3 4 5 0 0 0 0 0\n");
        EXPECT_EQ(idle_time_ms(root.path().c_str()), 45'000U);
}

TEST(IdleTime, IsNotKnownWhereTheFileSaysSomethingElse) {
        const TemporaryDirectory root;
        EXPECT_EQ(idle_time_ms(root.path().c_str()), 0U);
        for (const auto* text : {"", "cpu", "cpu  1 2 3\n", "intr 1 2 3 4 5\n"}) {
                root.write("proc/stat", text);
                EXPECT_EQ(idle_time_ms(root.path().c_str()), 0U) << text;
        }
}

TEST(IdleTime, OfThisMachineGrows) {
        const auto before = idle_time_here();
        EXPECT_GT(before, 0U);
        EXPECT_GE(idle_time_here(), before);
}

}  // namespace
}  // namespace threadcount
