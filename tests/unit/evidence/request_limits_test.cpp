// SPDX-License-Identifier: MIT
// The limits of programs that change their requests.
#include "evidence/request_limits.hpp"

#include <gtest/gtest.h>

namespace governor::evidence {
namespace {

using namespace std::chrono_literals;
using policy::CpuMask;

const CpuMask kAll = CpuMask::range(0, 16);

class RequestLimitsTest : public ::testing::Test {
protected:
        void ask(std::uint32_t max, const CpuMask& cpus = kAll) { limits_.ask(max, cpus, now_); }

        RequestLimits limits_{8, kAll};
        TimePoint now_{1h};
};

TEST_F(RequestLimitsTest, AreWhatWasAskedForAtFirst) {
        EXPECT_EQ(limits_.max(), 8U);
        EXPECT_EQ(limits_.cpus(), kAll);
}

TEST_F(RequestLimitsTest, FallAtOnceAndRiseOnceInTenSeconds) {
        ask(4);
        EXPECT_EQ(limits_.max(), 4U);
        ask(12);
        EXPECT_EQ(limits_.max(), 12U);
        ask(2);
        EXPECT_EQ(limits_.max(), 2U);
        ask(0);
        EXPECT_EQ(limits_.max(), 2U) << "it has just been raised";
        now_ += 9999ms;
        limits_.update(now_);
        EXPECT_EQ(limits_.max(), 2U);
        now_ += 1ms;
        limits_.update(now_);
        EXPECT_EQ(limits_.max(), 0U) << "what was asked for last";
        limits_.update(now_ + 1h);
        EXPECT_EQ(limits_.max(), 0U);
}

TEST_F(RequestLimitsTest, NoLimitIsMoreThanAny) {
        ask(0);
        EXPECT_EQ(limits_.max(), 0U);
        ask(65'536);
        EXPECT_EQ(limits_.max(), 65'536U);
        ask(0);
        EXPECT_EQ(limits_.max(), 65'536U);
}

TEST_F(RequestLimitsTest, CpusFallAtOnceAndRiseOnceInTenSeconds) {
        ask(8, CpuMask::range(0, 4));
        EXPECT_EQ(limits_.cpus(), CpuMask::range(0, 4));
        ask(8, CpuMask::range(2, 6));
        EXPECT_EQ(limits_.cpus(), CpuMask::range(2, 6));
        ask(8, CpuMask::range(4, 12));
        EXPECT_EQ(limits_.cpus(), CpuMask::range(4, 4)) << "of what it has now";
        now_ += 10s;
        limits_.update(now_);
        EXPECT_EQ(limits_.cpus(), CpuMask::range(4, 12));
}

TEST_F(RequestLimitsTest, WhoMovesAllTheTimeHasOneCpu) {
        ask(8, CpuMask::range(0, 8));
        ask(8, CpuMask::range(8, 8));
        EXPECT_EQ(limits_.cpus(), CpuMask::range(8, 8));
        EXPECT_EQ(limits_.max(), 8U) << "once is fine";
        ask(8, CpuMask::range(0, 8));
        EXPECT_EQ(limits_.cpus(), CpuMask::range(0, 8));
        EXPECT_EQ(limits_.max(), 1U);
        now_ += 10s;
        limits_.update(now_);
        EXPECT_EQ(limits_.max(), 8U);
}

TEST_F(RequestLimitsTest, GoingBackAndForthRaisesThemOnceInTenSeconds) {
        int raised = 0;
        for (int i = 0; i < 120; i++) {
                const auto before = limits_.max();
                ask(i % 2 == 0 ? 1 : 64);
                raised += limits_.max() > before ? 1 : 0;
                now_ += 500ms;
        }
        EXPECT_LE(raised, 6) << "in a minute";
        EXPECT_GE(raised, 5);
}

}  // namespace
}  // namespace governor::evidence
