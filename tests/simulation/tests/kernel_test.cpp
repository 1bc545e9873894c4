// SPDX-License-Identifier: MIT
// Small machines whose shares are known, and random ones.
#include "simulation/world/kernel.hpp"

#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace simulation {

namespace {

Threads threads(std::uint32_t count, const CpuMask& cpus, double weight = 1) {
        Threads made;
        made.cpus = cpus;
        made.count = count;
        made.weight = weight;
        return made;
}

const CpuMask kFour = CpuMask::range(0, 4);

}  // namespace

TEST(Kernel, AThreadHasNoMoreThanOneCpu) {
        Kernel kernel;
        const std::vector<Threads> all{threads(2, kFour)};
        const auto& division = kernel.divide(all, {}, kFour);
        EXPECT_NEAR(division.rate[0], 2, 1e-9);
        EXPECT_NEAR(division.busy[3], 0.5, 1e-9);
}

TEST(Kernel, ThreadsShareByTheWeightOfTheirNiceValues) {
        Kernel kernel;
        const std::vector<Threads> all{threads(4, kFour, nice_weight(0)),
                                       threads(4, kFour, nice_weight(19))};
        const auto& division = kernel.divide(all, {}, kFour);
        EXPECT_NEAR(division.rate[0] / division.rate[1], 1024.0 / 15, 1e-3);
        EXPECT_NEAR(division.rate[0] + division.rate[1], 4, 1e-9);
}

TEST(Kernel, WhoMayGoElsewhereMakesRoom) {
        Kernel kernel;
        const std::vector<Threads> all{threads(2, CpuMask::range(0, 2)), threads(4, kFour)};
        const auto& division = kernel.divide(all, {}, kFour);
        EXPECT_NEAR(division.rate[0], 2 * 4.0 / 6, 1e-6);
        EXPECT_NEAR(division.rate[1], 4 * 4.0 / 6, 1e-6);
}

TEST(Kernel, WhoCannotIsSlowerAndNobodyElseIs) {
        Kernel kernel;
        const std::vector<Threads> all{threads(6, CpuMask::range(0, 2)),
                                       threads(2, CpuMask::range(2, 2)),
                                       threads(1, CpuMask::range(1, 2))};
        const auto& division = kernel.divide(all, {}, kFour);
        EXPECT_NEAR(division.rate[0], 2, 1e-6);
        EXPECT_NEAR(division.rate[1] + division.rate[2], 2, 1e-6);
        EXPECT_NEAR(division.rate[2], 2.0 / 3, 1e-6);
}

TEST(Kernel, AQuotaSlowsDownAllBelowItAlike) {
        Kernel kernel;
        const std::vector<Throttle> throttles{{std::nullopt, 3.0}, {std::size_t{0}, 1.0}};
        std::vector<Threads> all{threads(4, CpuMask::range(0, 8)), threads(2, CpuMask::range(0, 8)),
                                 threads(1, CpuMask::range(0, 8))};
        all[0].cgroup = 0;
        all[1].cgroup = 1;
        const auto& division = kernel.divide(all, throttles, CpuMask::range(0, 8));
        EXPECT_NEAR(division.rate[0] + division.rate[1], 3, 1e-6);
        EXPECT_LE(division.rate[1], 1 + 1e-6);
        EXPECT_NEAR(division.rate[2], 1, 1e-9);
}

TEST(Kernel, ThreadsWhoseCpusAreGoneRunOnTheOthers) {
        Kernel kernel;
        const std::vector<Threads> all{threads(2, CpuMask::range(2, 2))};
        EXPECT_NEAR(kernel.divide(all, {}, CpuMask::range(0, 2)).rate[0], 2, 1e-9);
}

TEST(Kernel, NicedTimeIsPartOfBusyTime) {
        Kernel kernel;
        std::vector<Threads> all{threads(4, kFour), threads(4, kFour)};
        all[1].niced = true;
        const auto& division = kernel.divide(all, {}, kFour);
        EXPECT_NEAR(division.busy[0], 1, 1e-9);
        EXPECT_NEAR(division.niced[0], 0.5, 1e-9);
}

// No CPU is more than busy, nobody has more than it wants, and nobody lacks what is free.
TEST(Kernel, WhateverThereIsIsSharedOutAndNoMore) {
        std::mt19937_64 random(1);
        const auto below = [&](std::uint64_t n) {
                return static_cast<std::uint32_t>(random() % n);
        };
        Kernel kernel;
        for (int round = 0; round < 500; round++) {
                const auto cpus = 1 + below(24);
                std::vector<Threads> all;
                for (auto i = 1 + below(7); i > 0; i--) {
                        const auto first = below(cpus);
                        all.push_back(threads(1 + below(12),
                                              CpuMask::range(first, 1 + below(cpus - first)),
                                              nice_weight(static_cast<int>(below(40)) - 20)));
                }
                const auto& division = kernel.divide(all, {}, CpuMask::range(0, cpus));
                const auto busy = std::accumulate(division.busy.begin(), division.busy.end(), 0.0);
                const auto rates = std::accumulate(division.rate.begin(), division.rate.end(), 0.0);
                EXPECT_NEAR(busy, rates, 1e-5);
                for (const auto one : division.busy)
                        EXPECT_LE(one, 1 + 1e-6);
                for (std::size_t i = 0; i < all.size(); i++) {
                        EXPECT_LE(division.rate[i], all[i].count + 1e-6);
                        if (division.rate[i] > all[i].count - 1e-5)
                                continue;
                        all[i].cpus.for_each([&](std::uint32_t cpu) {
                                EXPECT_GT(division.busy[cpu], 1 - 1e-5) << "round " << round;
                        });
                }
        }
}

}  // namespace simulation
