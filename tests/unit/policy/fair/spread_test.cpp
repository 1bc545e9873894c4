// SPDX-License-Identifier: MIT
// A core for each thread, while there are enough.
#include "world.hpp"

#include <gtest/gtest.h>

namespace governor::policy::fair {
namespace {

/// Four cores of two CPUs: 0 and 1 are siblings, 2 and 3, ...
class Spread : public testing::Test {
protected:
        [[nodiscard]] std::vector<std::uint32_t> cores_of(std::size_t client) const {
                std::vector<std::uint32_t> counts;
                for (const auto& core : world.machine.cores())
                        counts.push_back(core.count_common(world.clients[client].granted));
                return counts;
        }

        World world{Shape{.cpus = 8, .threads_per_core = 2}};
};

using Counts = std::vector<std::uint32_t>;

TEST_F(Spread, AProgramOfTwoThreadsHasTwoCores) {
        world.add().max = 2;
        world.follow();
        EXPECT_EQ(cores_of(0), (Counts{1, 1, 0, 0}));
}

TEST_F(Spread, AThreadMoreThanCoresTakesASibling) {
        world.add().max = 5;
        world.follow();
        EXPECT_EQ(cores_of(0), (Counts{1, 2, 1, 1}));
}

TEST_F(Spread, WhereCoresAreShortAProgramHasWholeOnes) {
        world.add();
        world.add();
        world.follow();
        EXPECT_EQ(cores_of(0), (Counts{2, 2, 0, 0}));
        EXPECT_EQ(cores_of(1), (Counts{0, 0, 2, 2}));
}

TEST_F(Spread, AProgramWhoseNeighbourEndsMovesToCoresOfItsOwn) {
        world.add().max = 4;
        world.add();
        world.follow();
        ASSERT_EQ(cores_of(0), (Counts{2, 2, 0, 0}));
        world.clients.pop_back();
        world.follow();
        EXPECT_EQ(cores_of(0), (Counts{1, 1, 1, 1}));
}

TEST_F(Spread, AProgramThatShrinksKeepsAThreadOnEachCore) {
        world.add();
        world.follow();
        world.clients[0].max = 4;
        world.follow();
        EXPECT_EQ(cores_of(0), (Counts{1, 1, 1, 1}));
}

TEST_F(Spread, NoThreadMovesAgain) {
        world.add().max = 3;
        world.follow();
        const auto before = world.clients[0].granted;
        world.add().max = 1;
        world.follow();
        EXPECT_EQ(world.clients[0].granted, before);
        EXPECT_EQ(cores_of(1), (Counts{0, 0, 0, 1}));
        world.clients.pop_back();
        world.follow();
        EXPECT_EQ(world.clients[0].granted, before);
}

TEST_F(Spread, AProgramThatSharesACoreWithAnotherStays) {
        world.add().max = 4;
        world.follow();
        world.add().max = 1;
        world.follow();
        EXPECT_EQ(cores_of(1), (Counts{1, 0, 0, 0}));
        world.clients[0].max = 3;
        world.follow();
        EXPECT_EQ(cores_of(1), (Counts{1, 0, 0, 0}));
}

TEST_F(Spread, ACoreThatOthersAreOnIsNotFree) {
        world.load(CpuMask(CpuSet{2, 4, 6}));
        world.add().max = 2;
        world.follow();
        EXPECT_EQ(cores_of(0), (Counts{2, 0, 0, 0}));
}

TEST_F(Spread, AProgramThatSleepsWakesUpOnCoresOfItsOwn) {
        world.add().max = 3;
        world.clients[0].idle = true;
        const auto grant = world.decide().grants[0];
        EXPECT_EQ(grant.threads, 3U);
        for (const auto& core : world.machine.cores())
                EXPECT_LE(core.count_common(grant.cpus), 1U);
}

TEST_F(Spread, AProgramThatSleepsWakesUpWithItsShareWhereThatIsMoreThanACoreEach) {
        world.add();
        world.clients[0].idle = true;
        EXPECT_EQ(world.decide().grants[0].threads, 8U);
}

TEST_F(Spread, AProgramThatMayNotRunElsewhereStays) {
        world.add().allowed = CpuMask::range(0, 4);
        world.clients[0].max = 3;
        world.follow();
        EXPECT_EQ(cores_of(0), (Counts{2, 1, 0, 0}));
}

}  // namespace
}  // namespace governor::policy::fair
