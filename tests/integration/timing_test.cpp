// SPDX-License-Identifier: MIT
// Tests whose outcome depends on how fast this machine is: label `timing`, they do not gate.
#include "support/daemon.hpp"
#include "support/impostor.hpp"
#include "support/wire.hpp"

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

TEST(Advise, WaitsForAGovernorThatHasOnlyJustStarted) {
        Daemon daemon("", "[governor]\nperiod = 200ms\n");
        daemon.start();
        const auto answer = ctl(daemon, {"advise", "--json"});
        EXPECT_EQ(answer.status, 0);
        EXPECT_EQ(answer.out.find("not known yet"), std::string::npos) << answer.out;
}

TEST(RealMachine, IsSampledOncePerPeriod) {
        Daemon daemon("", "[governor]\nperiod = 50ms\n");
        daemon.start();
        const auto before = status(daemon.socket());
        ASSERT_TRUE(eventually([&] { return !status(daemon.socket()).warming_up(); }));
        const auto after = status(daemon.socket());
        EXPECT_EQ(after.discarded_samples(), 0U);
        const auto periods = (after.uptime_ms() - before.uptime_ms()) / 50;
        EXPECT_GE(after.samples() - before.samples() + 2, periods);
        EXPECT_LE(after.samples() - before.samples(), periods + 2);
}

}  // namespace
