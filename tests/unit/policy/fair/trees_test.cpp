// SPDX-License-Identifier: MIT
// Users first, then the trees of each, then the programs of each tree.
#include "policy/fair/shares.hpp"
#include "world.hpp"

#include <gtest/gtest.h>

namespace governor::policy::fair {
namespace {

using Counts = std::vector<std::uint32_t>;

/// A machine whose clients 0 .. programs - 1 are one tree of user 1.
World with_a_tree(std::uint32_t cpus, int programs, std::uint32_t weight = 100) {
        World world({cpus});
        const auto tree = world.add_tree(weight);
        for (int i = 0; i < programs; i++)
                world.add().tree = tree;
        return world;
}

TEST(Trees, ATreeOfTenProgramsAndASingleOneHaveHalfEach) {
        auto world = with_a_tree(20, 10);
        world.add();
        auto expected = Counts(10, 1);
        expected.push_back(10);
        EXPECT_EQ(world.follow(), expected);
}

TEST(Trees, UsersComeBeforeTrees) {
        auto world = with_a_tree(16, 2);
        world.add(1);
        world.add(2);
        EXPECT_EQ(world.follow(), (Counts{2, 2, 4, 8}));
}

TEST(Trees, TheWeightOfATreeIsAgainstOthersOfItsAccount) {
        auto world = with_a_tree(12, 2, 200);
        world.add();
        EXPECT_EQ(world.follow(), (Counts{4, 4, 4}));
}

TEST(Trees, WeightsOfProgramsCountInsideTheirTree) {
        auto world = with_a_tree(16, 2);
        world.clients[0].weight = 300;
        world.add();
        EXPECT_EQ(world.follow(), (Counts{6, 2, 8}));
}

TEST(Trees, AMinimumOfAProgramIsTakenFromItsTree) {
        auto world = with_a_tree(16, 2);
        world.clients[0].min = 6;
        world.add();
        EXPECT_EQ(world.follow(), (Counts{6, 2, 8}));
}

TEST(Trees, TheMinimumOfATreeIsTakenFromItsAccount) {
        auto world = with_a_tree(16, 2);
        world.trees[0].min = 6;
        world.add(1);
        world.add(2);
        EXPECT_EQ(world.follow(), (Counts{3, 3, 2, 8}));
}

TEST(Trees, HaveTogetherNoMoreThanTheirMaximum) {
        auto world = with_a_tree(16, 2);
        world.trees[0].max = 5;
        world.add();
        EXPECT_EQ(world.follow(), (Counts{3, 2, 11}));
        const auto grant = world.decide().grants[1];
        EXPECT_EQ(grant.reason.limit, Limit::TreeMax);
        EXPECT_EQ(explain(grant),
                  "maximum of its tree: 5 threads for all programs in it, fair share 2 -> 2");
}

TEST(Trees, ProgramsBeyondTheMaximumOfTheirTreeShareACpu) {
        auto world = with_a_tree(16, 3);
        world.trees[0].max = 2;
        EXPECT_EQ(world.follow(), (Counts{1, 1, 1}));
        const auto grant = world.decide().grants[2];
        EXPECT_TRUE(grant.shared);
        EXPECT_EQ(grant.reason.limit, Limit::TreeMax);
}

TEST(Trees, WhatOneProgramDoesNotWantStaysInItsTree) {
        auto world = with_a_tree(16, 2);
        world.clients[0].wants = 1;
        world.add();
        EXPECT_EQ(world.follow(), (Counts{1, 7, 8}));
}

TEST(Trees, WhatATreeDoesNotWantGoesToOthersOfItsAccount) {
        auto world = with_a_tree(16, 2);
        world.clients[0].wants = world.clients[1].wants = 1;
        world.add();
        EXPECT_EQ(world.follow(), (Counts{1, 1, 14}));
}

TEST(Trees, ShareACpusetWithOthersOfTheirAccount) {
        auto world = with_a_tree(16, 2);
        world.clients[0].allowed = CpuMask::range(0, 4);
        world.add();
        world.add().allowed = CpuMask::range(0, 4);
        EXPECT_EQ(world.follow(), (Counts{2, 5, 7, 2}));
}

// Two programs would otherwise be told to leave a CPU and to keep it in turn, as long as their
// regions last.
TEST(Trees, ATieGoesToOneOnlyIfItsProgramWhoseTurnItIsHoldsTheCpu) {
        World world({8});
        const auto both = CpuMask::range(0, 2);
        const auto add = [&](std::uint64_t account, const CpuMask& held) -> Client& {
                auto& client = world.add(account);
                client.granted = client.in_use = held;
                return client;
        };
        add(1, CpuMask::range(2, 2));
        add(1, both).allowed = both;
        add(2, CpuMask::range(4, 1));
        const auto tree = world.add_tree();
        add(2, CpuMask::range(6, 2)).tree = tree;
        auto& waiting = add(2, CpuMask::range(0, 1));
        waiting.tree = tree;
        waiting.allowed = both;
        waiting.shared = true;
        waiting.in_use = {};
        const Counts expected{2, 2, 2, 2, 1};
        EXPECT_EQ(threads_of(world.decide()), expected) << "it would have its second CPU from "
                                                           "a program that keeps it";
}

TEST(Trees, AProgramThatDoesNotFollowIsChargedToItsTree) {
        auto world = with_a_tree(16, 2);
        world.add();
        auto& rigid = world.clients[0];
        rigid.granted = CpuMask::range(0, 4);
        rigid.in_use = CpuMask::range(0, 6);
        rigid.burning = 6;
        rigid.above_since = rigid.lingers_since = world.now - seconds{10};
        EXPECT_EQ(world.follow(), (Counts{4, 4, 8})) << "as if it followed, to start with";
        EXPECT_EQ(world.follow(), (Counts{4, 2, 8}));
}

TEST(Trees, TheUndividedShareCountsNoForeignLoadAndNoOneWhoDoesNotFollow) {
        auto world = with_a_tree(16, 2);
        world.add();
        world.load(CpuMask::range(0, 8));
        world.kept = {{AccountId{9}, 2}};
        world.clients[2].above_since = world.now - seconds{10};
        world.clients[2].burning = 16;
        EXPECT_EQ(undivided_shares(world.settings, world.snapshot()), (Counts{4, 4, 8}));
}

TEST(Trees, TheUndividedShareOfWhoIsLeftAloneIsAllThatItMayRunOn) {
        World world({8});
        world.add().allowed = CpuMask::range(100, 3);
        world.add();
        EXPECT_EQ(undivided_shares(world.settings, world.snapshot()), (Counts{3, 8}));
}

TEST(Trees, SixteenThatComeAtOnceHaveTheirSharesInTwoDecisions) {
        World world({64});
        for (int i = 0; i < 16; i++)
                world.add(1, milliseconds{0}).tree = world.add_tree();
        EXPECT_EQ(undivided_shares(world.settings, world.snapshot()), Counts(16, 4));
        world.follow();
        EXPECT_EQ(world.follow(), Counts(16, 4));
}

}  // namespace
}  // namespace governor::policy::fair
