// SPDX-License-Identifier: MIT
// The CPUs of a sample that a decision is about.
#include "policy/sample.hpp"

#include <gtest/gtest.h>

namespace governor::policy {
namespace {

CpuSet numbers(const Sample& sample) {
        CpuSet cpus;
        for (const auto& cpu : sample.cpus)
                cpus.push_back(cpu.cpu);
        return cpus;
}

Pool only(CpuSet cpus) { return {std::move(cpus), {}}; }

const Sample kSparse{{{0, 10}, {2, std::nullopt}, {5, 30}, {64, 40}}, false};

TEST(Sample, IsWholeWithoutARestriction) {
        const auto part = restrict_to({}, kSparse);
        EXPECT_EQ(numbers(part), (CpuSet{0, 2, 5, 64}));
        EXPECT_FALSE(part.warming_up);
}

TEST(Sample, KeepsTheChosenCpusWithTheirRatios) {
        const auto part = restrict_to(only({2, 5}), kSparse);
        ASSERT_EQ(numbers(part), (CpuSet{2, 5}));
        EXPECT_EQ(part.cpus[0].idle_permyriad, std::nullopt);
        EXPECT_EQ(part.cpus[1].idle_permyriad, 30U);
}

TEST(Sample, IgnoresChosenCpusThatAreNotOnline) {
        EXPECT_EQ(numbers(restrict_to(only({1, 3, 64, 65}), kSparse)), (CpuSet{64}));
        EXPECT_TRUE(restrict_to(only({1, 3}), kSparse).cpus.empty());
        EXPECT_TRUE(restrict_to(only({}), kSparse).cpus.empty());
}

TEST(Sample, LeavesOutReservedCpus) {
        EXPECT_EQ(numbers(restrict_to({std::nullopt, {0, 3, 64}}, kSparse)), (CpuSet{2, 5}));
        EXPECT_EQ(numbers(restrict_to({CpuSet{0, 5, 7}, {5}}, kSparse)), (CpuSet{0}));
        EXPECT_TRUE(restrict_to({CpuSet{0, 5}, {0, 5}}, kSparse).cpus.empty());
}

TEST(Sample, LeavesOutCpusThatThePoolIsWithout) {
        const auto pool = Pool{CpuSet{0, 2, 64}, {2}}.without(CpuMask(CpuSet{1, 64}));
        EXPECT_EQ(pool.reserve, (CpuSet{1, 2, 64}));
        EXPECT_EQ(numbers(restrict_to(pool, kSparse)), (CpuSet{0}));
}

TEST(Sample, StaysWarmOrColdWhenRestricted) {
        EXPECT_FALSE(restrict_to(only({0}), kSparse).warming_up);
        EXPECT_TRUE(restrict_to(only({0}), Sample{{{0, 10}}, true}).warming_up);
}

}  // namespace
}  // namespace governor::policy
