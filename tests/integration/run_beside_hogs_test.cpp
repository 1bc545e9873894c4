// SPDX-License-Identifier: MIT
// A tree beside programs that nobody governs. They disturb others: ctest runs it alone.
#include "integration/run_fixture.hpp"

namespace {

using namespace test_support;

using RunBesideHogs = RunTest;

/// The program begins with its share, as foreign load may go soon.
TEST_F(RunBesideHogs, IsHeldToItsGrantWhereTheyStay) {
        if (everything() < 2)
                GTEST_SKIP() << "there is nothing to choose from on one CPU";
        const auto own = cpus_allowed(::getpid());
        Daemon daemon("", "[governor]\npolicy = fair\n");
        daemon.start();
        std::vector<std::unique_ptr<Process>> hogs;
        for (std::uint32_t i = 0; i < everything(); i++)
                hogs.push_back(std::make_unique<Process>(
                        Command{{"/bin/sh", "-c", "while :; do :; done"}, {}, {}}));
        ASSERT_TRUE(eventually([&] {
                const auto now = status(daemon.socket());
                return !now.warming_up() && now.free() == 0;
        }));
        const auto running = start({GOVERNORCTL, "--socket", daemon.socket(), "run", "--",
                                    "/bin/sh", "-c", "while :; do :; done & while :; do :; done"});
        EXPECT_TRUE(eventually([&] { return cpus_allowed(running.command) != own; }));
}

}  // namespace
