// SPDX-License-Identifier: MIT
// Many trees that are started at the same moment, on made-up machines: each has its share, and all
// of them together have the machine.
#include "support/daemon.hpp"
#include "support/lease_client.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <unistd.h>

namespace {

using namespace test_support;

class RunHerd : public testing::TestWithParam<unsigned> {
protected:
        static constexpr unsigned kCpus = 64;

        RunHerd() : daemon_(machine_.root(), "[governor]\npolicy = fair\n") {
                machine_.runs(std::vector<unsigned>(kCpus, 100));
                daemon_.start();
        }

        /// Each is known to the machine before it asks, and asks when there is the file.
        void start(unsigned count) {
                const auto go = directory_.path("go");
                for (unsigned i = 0; i < count; i++) {
                        runs_.push_back(std::make_unique<Process>(
                                Command{{"/bin/sh", "-c",
                                         "while [ ! -e " + go + " ]; do sleep 0.1; done; exec " +
                                                 GOVERNORCTL + " --socket " + daemon_.socket() +
                                                 " run -q --keep -- sleep 60"},
                                        {},
                                        {}}));
                        machine_.process(runs_.back()->pid(), "0-" + std::to_string(kCpus - 1));
                }
                directory_.write("go", "");
        }
        [[nodiscard]] std::vector<std::uint32_t> grants() const {
                std::vector<std::uint32_t> grants;
                for (const auto& client : leases(daemon_.socket()))
                        grants.push_back(client.granted());
                return grants;
        }

        FakeMachine machine_;
        TemporaryDirectory directory_;
        Daemon daemon_;
        std::vector<std::unique_ptr<Process>> runs_;
};

TEST_P(RunHerd, HasTheMachineInEqualParts) {
        start(GetParam());
        const std::vector<std::uint32_t> equal(GetParam(), kCpus / GetParam());
        EXPECT_TRUE(eventually([&] { return grants() == equal; }))
                << testing::PrintToString(grants());
}

INSTANTIATE_TEST_SUITE_P(, RunHerd, testing::Values(4, 8, 16));

TEST(MadeUpMachine, HasAllOfItsCpusInTheSharedMemory) {
        FakeMachine machine;
        machine.runs(std::vector<unsigned>(130, 100));
        machine.process(::getpid(), "0-129");
        Daemon daemon(machine.root(), "[governor]\npolicy = fair\n");
        daemon.start();
        LeaseClient program(daemon.socket());
        const auto* memory = program.hello();
        ASSERT_NE(memory, nullptr);
        EXPECT_EQ(memory->header().set_words, 3U);
        ASSERT_TRUE(eventually([&] { return memory->threads() == 130; }));
}

}  // namespace
