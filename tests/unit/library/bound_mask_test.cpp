// SPDX-License-Identifier: MIT
// To which CPUs a grant binds.
#include "bound_mask.hpp"

#include <governor/v1/arena.h>
#include <gtest/gtest.h>
#include <initializer_list>

namespace threadcount {
namespace {

CpuMask cpus(std::initializer_list<unsigned> numbers) {
        CpuMask mask;
        for (const auto cpu : numbers)
                mask.words[cpu / 64] |= std::uint64_t{1} << cpu % 64;
        return mask;
}

const CpuMask kInitial = cpus({0, 1, 2, 3, 64, 8191});

TEST(BoundMask, IsWhatWasGranted) {
        EXPECT_EQ(bound_mask(kInitial, cpus({1, 64}), 0, 2), cpus({1, 64}));
        EXPECT_EQ(bound_mask(kInitial, cpus({8191}), GOVERNOR_GRANT_CROWDED, 1), cpus({8191}));
}

TEST(BoundMask, IsNeverWiderThanTheInitialOne) {
        EXPECT_EQ(bound_mask(cpus({1, 2}), cpus({2, 3}), 0, 1), cpus({2}));
        EXPECT_EQ(bound_mask(cpus({1, 2}), cpus({0, 1, 2, 3}), 0, 4), cpus({1, 2}));
}

TEST(BoundMask, IsTheInitialOneWhereTheSetSaysNothing) {
        EXPECT_EQ(bound_mask(kInitial, {}, 0, 1), kInitial);
        EXPECT_EQ(bound_mask(kInitial, cpus({7}), 0, 1), kInitial);
}

TEST(BoundMask, IsTheInitialOneForMoreThreadsThanCpus) {
        EXPECT_EQ(bound_mask(kInitial, cpus({0, 1}), 0, 3), kInitial);
        EXPECT_EQ(bound_mask(kInitial, cpus({0, 1}), 0, 2), cpus({0, 1}));
        EXPECT_EQ(bound_mask(kInitial, cpus({0, 1}), 0, 1), cpus({0, 1}));
        EXPECT_EQ(bound_mask(kInitial, kInitial, 0, GOVERNOR_WORD_THREADS_MAX), kInitial);
}

TEST(BoundMask, IsTheInitialOneOnACpuOfSomebodyElse) {
        EXPECT_EQ(bound_mask(kInitial, cpus({1}), GOVERNOR_GRANT_SHARED, 1), kInitial);
}

}  // namespace
}  // namespace threadcount
