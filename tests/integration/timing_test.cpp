// SPDX-License-Identifier: MIT
// Tests whose outcome depends on how fast this machine is: label `timing`, they do not gate.
#include "support/daemon.hpp"
#include "support/descriptor_limit.hpp"
#include "support/impostor.hpp"
#include "support/wire.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

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

TEST(Daemon, AnswersAtOnceThoughFourThousandClientsLeaveTogether) {
        if (!test_support::may_have_descriptors(10'000))
                GTEST_SKIP() << "10000 open files are needed";
        Daemon daemon("");
        daemon.start();
        std::vector<std::unique_ptr<WireClient>> clients;
        for (int i = 0; i < 4000; i++)
                clients.push_back(std::make_unique<WireClient>(daemon.socket()));
        ASSERT_EQ(status(daemon.socket()).connections(), 4001U);
        clients.clear();
        const auto left = std::chrono::steady_clock::now();
        (void)status(daemon.socket());
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - left;
        // It was 1.7 s when each hang-up made sd-event look at all the others again.
        EXPECT_LT(took.count(), 0.5);
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
