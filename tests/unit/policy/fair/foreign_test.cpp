// SPDX-License-Identifier: MIT
// Programs that are not governed are yielded to, up to a limit.
#include "policy/fair/shares.hpp"
#include "world.hpp"

#include <gtest/gtest.h>
#include <random>
#include <utility>

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
        world.kept = {{AccountId{9}, 100}};
        world.add();
        world.add();
        EXPECT_EQ(world.follow(), (Counts{16, 16}));
        world.clients[0].above_since = world.now - std::chrono::seconds(10);
        world.clients[0].burning = 64;
        EXPECT_EQ(world.follow(), (Counts{16, 16})) << "the others have their half already";
        world.kept.clear();
        EXPECT_EQ(world.follow(), (Counts{22, 16}));
}

/// A hog of `account` keeps all CPUs busy.
World with_hog(std::uint32_t cpus, std::uint64_t account) {
        World world({cpus});
        world.load(CpuMask::range(0, cpus));
        world.foreign.owned = {{AccountId{account}, static_cast<float>(cpus * 1000)}};
        return world;
}

TEST(ForeignShare, AHogTakesNoMoreFromOtherAccountsThanItsAccountsShare) {
        auto world = with_hog(64, 9);
        world.add(1);
        world.add(2);
        EXPECT_EQ(world.follow(), (Counts{22, 21}));
        EXPECT_EQ(explain(world.decide().grants[1]),
                  "fair share: 64 cpus - 21 foreign, 2 programs of 2 accounts -> 21");
}

TEST(ForeignShare, TwoCpusAndThreeAccountsLeaveTheHogNone) {
        auto world = with_hog(2, 9);
        world.add(1);
        world.add(2);
        EXPECT_EQ(world.follow(), (Counts{1, 1}));
        EXPECT_FALSE(world.decide().grants[1].shared);
        EXPECT_EQ(world.decide().foreign, 0U);
}

TEST(ForeignShare, AHogAndProgramsOfItsAccountHaveTheShareOfOneAccount) {
        auto world = with_hog(60, 9);
        world.add(9);
        world.add(1);
        world.add(2);
        EXPECT_EQ(world.follow(), (Counts{10, 20, 20}));
        EXPECT_EQ(explain(world.decide().grants[0]),
                  "fair share: 60 cpus - 10 foreign (10 of its account), 3 programs of 3 accounts "
                  "-> 10");
        world.add(9);
        world.add(9);
        EXPECT_EQ(world.decide().foreign, 10U) << "half of the share, however many programs";
        world.foreign.owned = {{AccountId{9}, 5'000}, {AccountId{1}, 0}};
        world.load(CpuMask::range(0, 60), 0);
        world.load(CpuMask::range(0, 5));
        EXPECT_EQ(world.follow(), (Counts{5, 20, 20, 5, 5}));
}

TEST(ForeignShare, AHogOfTheOnlyAccountHasHalf) {
        auto world = with_hog(64, 1);
        world.add(1);
        world.add(1);
        world.add(1);
        EXPECT_EQ(world.follow(), (Counts{11, 11, 10}));
}

TEST(ForeignShare, AHogMayHaveWhatNobodyElseWants) {
        auto world = with_hog(64, 9);
        world.add(1).max = 10;
        world.add(2).max = 10;
        EXPECT_EQ(world.follow(), (Counts{10, 10}));
        EXPECT_EQ(world.decide().foreign, 32U) << "but no more than foreign_max";
}

TEST(ForeignShare, LoadThatIsNobodysIsYieldedToUpToHalf) {
        auto world = with_hog(64, 9);
        world.foreign.owned[0].millicpu = 40'000;
        world.add(1);
        world.add(2);
        EXPECT_EQ(world.decide().foreign, 32U) << "24 of nobody and 13 of the hog are more";
        world.foreign.owned[0].millicpu = 60'000;
        EXPECT_EQ(world.decide().foreign, 24U) << "4 of nobody, and 20";
}

TEST(ForeignShare, LoadIsNotMoreThanThereIsWhoeverHadIt) {
        World world({64});
        world.load(CpuMask::range(0, 8));
        world.foreign.owned = {{AccountId{8}, 40'000}, {AccountId{9}, 40'000}};
        world.add(1);
        EXPECT_EQ(world.follow(), (Counts{56}));
}

TEST(ForeignShare, OfAnOwnerGoesByNoHolder) {
        std::minstd_rand random(1);
        for (int i = 0; i < 200; i++) {
                World world({4});
                world.load(CpuMask::range(0, 4), 750);
                world.foreign.owned = {{AccountId{1}, 2'000}, {AccountId{2}, 1'000}};
                for (int k = 0; k < 3; k++) {
                        const auto first = static_cast<std::uint32_t>(random() % 4);
                        const auto count = static_cast<std::uint32_t>(1 + random() % (4 - first));
                        world.add(1 + random() % 2).allowed = CpuMask::range(first, count);
                }
                const auto left = [&] {
                        const auto foreign = left_to_foreign(world.settings, world.snapshot());
                        return std::pair(foreign.owned[0].millicpu, foreign.owned[1].millicpu);
                };
                const auto free = left();
                for (auto& client : world.clients) {
                        client.granted = client.allowed;
                        EXPECT_EQ(left(), free);
                        client.granted.clear();
                }
        }
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
