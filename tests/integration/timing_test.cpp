// SPDX-License-Identifier: MIT
// Tests whose outcome depends on how fast this machine is: label `timing`, they do not gate.
#include "support/impostor.hpp"
#include "support/process.hpp"

#include <gtest/gtest.h>

namespace {

using namespace test_support;

TEST(MuteSocket, IsNotWaitedForBeforeEveryRegion) {
        const Impostor mute;
        const auto started = std::chrono::steady_clock::now();
        const auto program = run(
                {{FOLLOWER, "1000", "6"}, {mute.environment(), "THREADCOUNT_INTERVAL=50ms"}, {}});
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
        EXPECT_EQ(program.status, 0);
        // 1000 regions of 1 ms; waiting 5 ms in each would take 6 s.
        EXPECT_LT(took.count(), 3.0);
}

}  // namespace
