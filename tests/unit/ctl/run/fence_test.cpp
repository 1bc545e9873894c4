// SPDX-License-Identifier: MIT
// Which CPUs a tree is held to.
#include "ctl/run/fence.hpp"

#include "ctl/run/steward.hpp"

#include <gtest/gtest.h>

namespace ctl::run {
namespace {

CpuMask mask(std::initializer_list<unsigned> cpus) {
        CpuMask mask;
        for (const auto cpu : cpus)
                mask.words[cpu / 64] |= std::uint64_t{1} << (cpu % 64);
        return mask;
}

std::uint32_t width(std::uint32_t threads, std::uint32_t share, std::uint32_t limit) {
        Grant grant;
        grant.threads = threads;
        grant.why.share = share;
        grant.why.limit = limit;
        return width_of(grant);
}

TEST(FenceChoice, TakesGrantedCpusFirstAndThenOthersThatAreAllowed) {
        const auto allowed = mask({0, 1, 2, 3, 70});
        EXPECT_EQ(list_of(choose(mask({3}), allowed, 1)), "3");
        EXPECT_EQ(list_of(choose(mask({3}), allowed, 3)), "0-1,3");
        EXPECT_EQ(list_of(choose(mask({70, 2}), allowed, 2)), "2,70");
}

TEST(FenceChoice, IsNeverOutsideOfWhatIsAllowed) {
        EXPECT_EQ(list_of(choose(mask({9}), mask({0, 1}), 1)), "0");
        EXPECT_EQ(list_of(choose(mask({}), mask({4, 5}), 9)), "4-5");
}

TEST(FenceChoice, CutsAGrantThatIsLargerThanAskedFor) {
        EXPECT_EQ(list_of(choose(mask({0, 1, 2, 3}), mask({0, 1, 2, 3}), 2)), "0-1");
}

TEST(FenceWidth, IsTheGrant) {
        EXPECT_EQ(width(5, 9, GOVERNOR_LIMIT_FAIR_SHARE), 5U);
        EXPECT_EQ(width(1, 9, GOVERNOR_LIMIT_PARKED), 1U);
}

TEST(FenceWidth, LeavesATreeThatSleepsItsShareSoThatItCanWakeUp) {
        EXPECT_EQ(width(1, 9, GOVERNOR_LIMIT_IDLE), 9U);
        EXPECT_EQ(width(1, 9, GOVERNOR_LIMIT_LIGHT), 9U);
        EXPECT_EQ(width(3, 9, GOVERNOR_LIMIT_DEMAND), 9U);
        EXPECT_EQ(width(9, 3, GOVERNOR_LIMIT_DEMAND), 9U);
}

TEST(FenceAtStart, IsNoneWhereTheShareIsAllThatIsAllowed) {
        EXPECT_EQ(Fence(mask({0, 1}), mask({0, 1}), 2).at_start(), nullptr);
        const Fence fence(mask({0, 1}), mask({1}), 1);
        ASSERT_NE(fence.at_start(), nullptr);
        EXPECT_EQ(list_of(*fence.at_start()), "1");
}

}  // namespace
}  // namespace ctl::run
