// SPDX-License-Identifier: MIT
// CPUs by class and group, compared with a matrix.
#include "policy/fair/tally.hpp"

#include <gtest/gtest.h>
#include <random>
#include <utility>
#include <vector>

namespace governor::policy::fair {
namespace {

TEST(Tally, HasNothingWhereNothingWasAdded) {
        const Tally tally(3);
        EXPECT_EQ(tally.of(7, 2), 0U);
        tally.for_each_in(2, [](std::size_t, std::uint32_t) { FAIL(); });
}

TEST(Tally, VisitsTheGroupsOfAClassAscendingAndLeavesOutThoseThatHaveNoneAnyMore) {
        Tally tally(2);
        tally.of(5, 1) += 2;
        tally.of(9, 1)++;
        tally.of(0, 1)++;
        tally.of(5, 0)++;
        tally.of(9, 1)--;
        std::vector<std::pair<std::size_t, std::uint32_t>> seen;
        tally.for_each_in(
                1, [&](std::size_t group, std::uint32_t cpus) { seen.emplace_back(group, cpus); });
        EXPECT_EQ(seen, (decltype(seen){{0, 1}, {5, 2}}));
}

TEST(Tally, IsAMatrix) {
        constexpr std::size_t kClasses = 7;
        constexpr std::size_t kGroups = 11;
        std::minstd_rand random(1);
        Tally tally(kClasses);
        std::vector<std::uint32_t> matrix(kClasses * kGroups);
        for (int i = 0; i < 1000; i++) {
                const auto k = random() % kClasses;
                const auto group = random() % kGroups;
                auto& expected = matrix[k * kGroups + group];
                const auto cpus = static_cast<std::uint32_t>(random() % 4);
                tally.of(group, k) = expected = cpus;
        }
        for (std::size_t k = 0; k < kClasses; k++)
                for (std::size_t group = 0; group < kGroups; group++)
                        EXPECT_EQ(std::as_const(tally).of(group, k), matrix[k * kGroups + group]);
}

}  // namespace
}  // namespace governor::policy::fair
