// SPDX-License-Identifier: MIT
// A program beside others that nobody governs, on a made-up machine of 8 CPUs.
#include "support/daemon.hpp"
#include "support/lease_client.hpp"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using namespace test_support;

/// Samples are a minute apart: foreign load is looked at between them.
class ForeignLoad : public testing::Test {
protected:
        ForeignLoad() : daemon_(machine_.root(), "[governor]\npolicy = fair\nperiod = 60s\n") {
                runs(0);
                machine_.process(::getpid(), "0-7");
                daemon_.start();
        }
        /// For a second, so many CPUs are busy; and then, as long as nothing else is said.
        void runs(std::size_t busy) {
                std::vector<unsigned> idle(8, 100);
                std::fill_n(idle.begin(), busy, 0U);
                machine_.runs(idle);
        }

        FakeMachine machine_;
        Daemon daemon_;
};

TEST_F(ForeignLoad, IsLeftItsCpusSoonAndGivesThemBackSoonHoweverOftenItReturns) {
        LeaseClient program(daemon_.socket());
        const auto* memory = program.hello();
        ASSERT_NE(memory, nullptr);
        ASSERT_TRUE(eventually([&] { return memory->threads() == 8; }));
        for (int i = 0; i < 3; i++) {
                EXPECT_TRUE(eventually([&] {
                        runs(3);
                        return memory->threads() == 5;
                })) << i;
                // Two ends within 2.5 s would be one load that comes and goes.
                std::this_thread::sleep_for(std::chrono::seconds{3});
                EXPECT_EQ(memory->threads(), 5U) << i;
                EXPECT_TRUE(eventually([&] {
                        runs(0);
                        return memory->threads() == 8;
                })) << i;
        }
}

}  // namespace
