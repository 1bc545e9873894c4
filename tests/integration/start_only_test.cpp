// SPDX-License-Identifier: MIT
// Programs that keep the number that they are told first, on a made-up machine of 64 CPUs.
#include "support/daemon.hpp"
#include "support/lease_client.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using namespace test_support;

class StartOnly : public testing::Test {
protected:
        StartOnly() : daemon_(machine_.root(), "[governor]\nforeign_max = 0%\n") {
                machine_.runs(std::vector<unsigned>(64, 100));
                daemon_.start();
        }
        /// The calling process.
        void runs_anywhere() const {
                const auto pid = std::to_string(::getpid());
                const auto thread =
                        std::filesystem::path(machine_.root()) / "proc" / pid / "task" / pid;
                std::filesystem::create_directories(thread);
                std::ofstream(thread / "status") << "Name:\tprogram\nCpus_allowed_list:\t0-63\n";
        }
        /// The first number in the memory of the calling process's lease.
        [[nodiscard]] static std::uint32_t first_number(LeaseClient& client) {
                governor::v1::Hello hello;
                hello.set_start_only(true);
                const auto* memory = client.hello(hello);
                if (memory == nullptr || !eventually([&] { return memory->threads() > 0; }))
                        return 0;
                return memory->threads();
        }

        FakeMachine machine_;
        Daemon daemon_;
};

TEST_F(StartOnly, IsToldItsShareOfAMachineThatAnotherHolds) {
        const ForkedProgram holder([&] {
                runs_anywhere();
                LeaseClient client(daemon_.socket());
                const auto* memory = client.hello();
                if (memory == nullptr || !eventually([&] { return memory->threads() == 64; }))
                        ::_exit(1);
                auto& report = memory->report();
                __atomic_store_n(&report.regions, 1, __ATOMIC_RELAXED);
                __atomic_store_n(&report.word,
                                 governor_word(governor_word_epoch(memory->word()), 64,
                                               GOVERNOR_REPORT_IN_REGION),
                                 __ATOMIC_RELEASE);
                ::pause();
        });
        ASSERT_TRUE(eventually([&] {
                const auto client = lease_of(daemon_.socket(), holder.pid());
                return client && client->in_use() == 64;
        }));
        runs_anywhere();
        LeaseClient self(daemon_.socket());
        EXPECT_EQ(first_number(self), 32U);
        const auto client = lease_of(daemon_.socket(), static_cast<std::uint32_t>(::getpid()));
        EXPECT_EQ(client->granted(), 32U) << "beside the other one, which is in its region";
        EXPECT_EQ(client->max(), 32U);
        EXPECT_EQ(client->share(), 32U);
}

TEST_F(StartOnly, IsToldAFairShareInAHerd) {
        std::array<int, 2> told{};
        ASSERT_EQ(::pipe(told.data()), 0);
        std::vector<std::unique_ptr<ForkedProgram>> programs;
        for (int i = 0; i < 8; i++)
                programs.push_back(std::make_unique<ForkedProgram>([&] {
                        runs_anywhere();
                        LeaseClient client(daemon_.socket());
                        const auto threads = first_number(client);
                        if (::write(told[1], &threads, sizeof(threads)) == sizeof(threads))
                                ::pause();
                }));
        std::vector<std::uint32_t> threads(programs.size());
        for (auto& one : threads)
                ASSERT_EQ(::read(told[0], &one, sizeof(one)), sizeof(one));
        for (const auto one : threads)
                EXPECT_GE(one, 8U);
        EXPECT_LE(std::accumulate(threads.begin(), threads.end(), 0U),
                  64U + 32 + 21 + 16 + 12 + 10 + 9 + 8);
        ::close(told[0]);
        ::close(told[1]);
}

}  // namespace
