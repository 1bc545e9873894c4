// SPDX-License-Identifier: MIT
// Programs that are not governed are yielded to, up to a limit.
#include "world.hpp"

#include <gtest/gtest.h>

namespace governor::policy::fair {
namespace {

using Counts = std::vector<std::uint32_t>;

TEST(ForeignShare, WhatForeignProgramsUseIsNotHandedOut) {
        World world({64});
        world.load(CpuMask::range(0, 9));
        for (const auto account : {0U, 1U, 0U})
                world.add(account);
        EXPECT_EQ(world.follow(), (Counts{14, 27, 14}));
        EXPECT_EQ(explain(world.decide().grants[0]),
                  "fair share: 64 cpus - 9 foreign, 3 programs of 2 accounts -> 14");
}

TEST(ForeignShare, AHogOnEveryCpuLeavesClientsHalf) {
        World world({64});
        world.load(CpuMask::range(0, 64));
        world.add();
        EXPECT_EQ(world.follow(), (Counts{32}));
}

TEST(ForeignShare, AHogBehindAnotherCpusetCostsNothing) {
        World world({64});
        world.load(CpuMask::range(0, 16));
        world.add().allowed = CpuMask::range(0, 32);
        world.add().allowed = CpuMask::range(32, 32);
        EXPECT_EQ(world.follow(), (Counts{16, 32}));
}

TEST(ForeignShare, LessThanHalfACpuIsNoise) {
        World world({64});
        world.load(CpuMask::range(0, 64), 7);
        world.add();
        EXPECT_EQ(world.follow(), (Counts{64}));
}

TEST(ForeignShare, ThePoliteBoundIsASetting) {
        World world({64});
        world.settings.foreign_max_permyriad = 0;
        world.load(CpuMask::range(0, 64));
        world.add();
        EXPECT_EQ(world.follow(), (Counts{64}));
}

TEST(ForeignShare, APinnedHogKeepsItsCpusAndClientsGetOthers) {
        World world({8});
        world.load(CpuMask::range(2, 3));
        world.add();
        world.follow();
        EXPECT_EQ(world.decide().grants[0].cpus, CpuMask(CpuSet{0, 1, 5, 6, 7}));
}

TEST(ForeignShare, HogsNewcomersAndRigidHoldersTogetherLeaveHalf) {
        World world({64});
        world.load(CpuMask::range(0, 20));
        world.short_lived = 100;
        world.add();
        world.add();
        EXPECT_EQ(world.follow(), (Counts{16, 16}));
        world.clients[0].relapsed = true;
        world.clients[0].burning = 64;
        EXPECT_EQ(world.follow(), (Counts{16, 16})) << "the others have their half already";
        world.short_lived = 0;
        EXPECT_EQ(world.follow(), (Counts{22, 16}));
}

TEST(ForeignShare, OneCpuThatIsSharedWithAHogIsStillHandedOut) {
        World world({1});
        world.load(CpuMask::range(0, 1));
        world.add();
        const auto decision = world.decide();
        EXPECT_EQ(decision.grants[0].threads, 1U);
        EXPECT_FALSE(decision.grants[0].shared);
}

}  // namespace
}  // namespace governor::policy::fair
