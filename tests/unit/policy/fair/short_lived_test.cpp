// SPDX-License-Identifier: MIT
// CPUs that are kept free for programs that come and go.
#include "world.hpp"

#include <gtest/gtest.h>

namespace governor::policy::fair {
namespace {

TEST(ShortLivedPrograms, FindCpusThatWereKeptForThem) {
        World world({16});
        world.kept = {{AccountId{1}, 2}};
        world.add();
        EXPECT_EQ(world.follow(), (std::vector<std::uint32_t>{14}));
        EXPECT_EQ(explain(world.decide().grants[0]),
                  "fair share: 16 cpus - 2 for newcomers, 1 program of 1 account -> 14");
        world.add(1, milliseconds{0}).in_stream = true;
        world.clients[0].in_use = world.clients[0].granted;
        const auto decision = world.decide();
        EXPECT_EQ(threads_of(decision), (std::vector<std::uint32_t>{14, 2}));
        EXPECT_EQ(overlaps(decision), 0U);
}

TEST(ShortLivedPrograms, HaveAllCpusWhereNoOtherProgramIs) {
        World world({16});
        world.kept = {{AccountId{1}, 8}};
        world.add(1, milliseconds{0}).in_stream = true;
        EXPECT_EQ(world.follow(), (std::vector<std::uint32_t>{16}));
        world.add(1, milliseconds{0}).in_stream = true;
        EXPECT_EQ(world.follow(), (std::vector<std::uint32_t>{8, 8}));
}

/// The CPUs that are kept free for them count as their account's.
TEST(ShortLivedPrograms, AreOfTheirAccount) {
        World world({16});
        world.kept = {{AccountId{2}, 4}};
        world.add(1);
        world.add(2);
        EXPECT_EQ(world.follow(), (std::vector<std::uint32_t>{8, 4}));
        for (int i = 0; i < 4; i++)
                world.add(2, milliseconds{0}).in_stream = true;
        EXPECT_EQ(world.follow(), (std::vector<std::uint32_t>{8, 4, 1, 1, 1, 1}));
}

TEST(ShortLivedPrograms, LeaveAnotherAccountThatComesItsPart) {
        World world({16});
        world.kept = {{AccountId{2}, 8}};
        world.add(2, milliseconds{0}).in_stream = true;
        world.add(1, milliseconds{0});
        EXPECT_EQ(world.follow(), (std::vector<std::uint32_t>{8, 8}));
        world.clients[1].idle = true;
        EXPECT_EQ(world.follow().back(), 8U) << "told what it wakes up with";
}

// The CPUs that it may use cut both of the sets that are rounded.
TEST(ShortLivedPrograms, MakeNobodyShrinkWhereverTheyMayRun) {
        World world({8});
        world.load(CpuMask::range(0, 1) | CpuMask::range(4, 1), 400);
        world.add().allowed = CpuMask::range(0, 4);
        world.add();
        EXPECT_EQ(world.follow(), (std::vector<std::uint32_t>{4, 3}));
        auto& newcomer = world.add(1, milliseconds{0});
        newcomer.in_stream = true;
        newcomer.allowed = CpuMask::range(3, 2);
        EXPECT_EQ(world.follow(), (std::vector<std::uint32_t>{4, 3, 1}));
}

TEST(ShortLivedPrograms, LeaveHalfOfTheCpusToTheOthers) {
        World world({4});
        world.kept = {{AccountId{1}, 100}};
        world.add();
        EXPECT_EQ(world.follow(), (std::vector<std::uint32_t>{2}));
}

}  // namespace
}  // namespace governor::policy::fair
