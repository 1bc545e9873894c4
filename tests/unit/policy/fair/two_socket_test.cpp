// SPDX-License-Identifier: MIT
// 64 CPUs in two sockets of 16 cores with two threads each, and 1 to 200 clients of 1 to 4 users.
#include "world.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <tuple>

namespace governor::policy::fair {
namespace {

class TwoSockets : public testing::TestWithParam<std::tuple<std::uint32_t, std::uint32_t>> {
protected:
        TwoSockets() : world({64, 2, 32, 32}) {
                for (std::uint32_t i = 0; i < clients(); i++)
                        world.add(i % accounts());
                world.follow();
                decision = world.decide();
        }

        static std::uint32_t clients() { return std::get<0>(GetParam()); }
        static std::uint32_t accounts() { return std::get<1>(GetParam()); }

        World world;
        Decision decision;
};

TEST_P(TwoSockets, HandOutEveryCpuAndNoneTwice) {
        const auto threads = threads_of(decision);
        EXPECT_EQ(std::accumulate(threads.begin(), threads.end(), 0U), std::max(64U, clients()));
        CpuMask all;
        for (const auto& grant : decision.grants) {
                EXPECT_EQ(grant.cpus.count(), grant.threads);
                all |= grant.cpus;
        }
        EXPECT_EQ(all, world.machine.pool());
        if (clients() <= 64) {
                EXPECT_EQ(overlaps(decision), 0U);
        }
}

TEST_P(TwoSockets, AreFairBetweenUsersAndBetweenTheProgramsOfOne) {
        std::map<std::uint64_t, std::vector<std::uint32_t>> programs;
        for (std::uint32_t i = 0; i < clients(); i++)
                programs[i % accounts()].push_back(decision.grants[i].threads);
        std::vector<std::uint32_t> sums;
        for (const auto& [account, threads] : programs) {
                const auto [low, high] = std::ranges::minmax(threads);
                EXPECT_LE(high - low, 1U);
                sums.push_back(std::accumulate(threads.begin(), threads.end(), 0U));
        }
        const auto [low, high] = std::ranges::minmax(sums);
        EXPECT_LE(high - low, 1U);
}

TEST_P(TwoSockets, SplitNoMoreCoresThanOddCountsDemand) {
        const auto odd = std::ranges::count_if(
                decision.grants, [](const Grant& grant) { return grant.threads % 2 == 1; });
        if (clients() <= 64) {
                EXPECT_LE(split_cores(world.machine, decision), (odd + 1) / 2);
        }
}

TEST_P(TwoSockets, KeepClientsThatFitWithinOneSocket) {
        std::uint32_t spread = 0;
        for (const auto& grant : decision.grants)
                spread +=
                        grant.cpus.count_common(CpuMask::range(0, 32)) % grant.threads != 0 ? 1 : 0;
        EXPECT_LE(spread, 1U);  // the one that the socket's edge goes through
}

TEST_P(TwoSockets, DecideTheSameAgain) {
        const auto threads = threads_of(decision);
        EXPECT_EQ(world.follow(), threads);
        const auto again = world.decide();
        for (std::uint32_t i = 0; i < clients(); i++)
                EXPECT_EQ(again.grants[i].cpus, decision.grants[i].cpus);
}

INSTANTIATE_TEST_SUITE_P(Clients, TwoSockets,
                         testing::Combine(testing::Values(1, 2, 3, 5, 64, 65, 200),
                                          testing::Values(1, 2, 3, 4)),
                         [](const auto& shape) {
                                 return std::to_string(std::get<0>(shape.param)) + "ClientsOf" +
                                        std::to_string(std::get<1>(shape.param));
                         });

}  // namespace
}  // namespace governor::policy::fair
