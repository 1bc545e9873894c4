// SPDX-License-Identifier: MIT
// The CPUs that a program can make use of, seen from outside.
#include "evidence/demand.hpp"

#include <gtest/gtest.h>

namespace governor::evidence {
namespace {

using namespace std::chrono_literals;

class DemandTest : public ::testing::Test {
protected:
        void run(const Usage& usage, std::chrono::milliseconds time,
                 std::chrono::milliseconds period = 1s) {
                for (const auto end = now_ + time; now_ < end;) {
                        now_ += period;
                        auto with_begin = usage;
                        with_begin.since = now_ - std::max(period, kPeriod);
                        demand_.add(with_begin, now_);
                }
        }

        void begin_region(std::chrono::milliseconds from_now) { demand_.woke(now_ + from_now); }

        static constexpr std::chrono::milliseconds kPeriod = 1s;  // at least: periods may overlap

        Demand demand_;
        TimePoint now_{1h};
};

constexpr bool kInRegion = true;
constexpr bool kOutside = false;
constexpr bool kStopped = true;

TEST_F(DemandTest, IsNotKnownAtFirst) {
        EXPECT_EQ(demand_.wants(), 0U);
        EXPECT_FALSE(demand_.idle());
}

TEST_F(DemandTest, OfAProgramThatKeepsItsCpusBusyIsAllItMayHave) {
        run({8, 7'900, kInRegion}, 20s);
        EXPECT_EQ(demand_.wants(), 0U);
        run({1, 980, kInRegion}, 20s);
        EXPECT_EQ(demand_.wants(), 0U);
}

TEST_F(DemandTest, IsThePeakWithHalfAsMuchToSpare) {
        run({8, 3'000, kInRegion}, 1s);
        EXPECT_EQ(demand_.wants(), 5U) << "4.5";
        run({8, 5'000, kInRegion}, 1s);
        EXPECT_EQ(demand_.wants(), 8U) << "7.5";
        run({8, 1'000, kInRegion}, 1s);
        EXPECT_EQ(demand_.wants(), 8U) << "held";
}

TEST_F(DemandTest, OfATeamThatSleepsAThirdOfTheTimeIsAllThatItMayHave) {
        run({20, 14'000, kInRegion}, 1s);
        EXPECT_EQ(demand_.wants(), 0U);
}

TEST_F(DemandTest, OfOneThatIsCrowdedOutIsNotLess) {
        run({8, 1'000, kInRegion, false, 3'000}, 20s);
        EXPECT_EQ(demand_.wants(), 16U) << "twice what it has";
        run({8, 1'000, kInRegion, false, 4'000}, 20s);
        EXPECT_EQ(demand_.wants(), 2U) << "it left half of what it had not burned";
}

TEST_F(DemandTest, IsAtLeastOne) {
        begin_region(100ms);
        run({8, 0, kInRegion}, 1s);
        EXPECT_EQ(demand_.wants(), 1U);
}

/// A program that reads its input with one thread, and then computes.
TEST_F(DemandTest, IsNotKnownBeforeTheFirstRegion) {
        run({42, 1'000, kOutside}, 1s);
        EXPECT_EQ(demand_.wants(), 0U);
        begin_region(200ms);
        run({42, 9'000, kInRegion}, 1s);
        EXPECT_EQ(demand_.wants(), 0U) << "for the most part it still read";
}

TEST_F(DemandTest, IsOfTheWholePeriodWhereTheRegionIsOver) {
        run({42, 1'000, kOutside}, 1s);
        begin_region(500ms);
        run({42, 4'000, kOutside}, 1s);
        EXPECT_EQ(demand_.wants(), 6U);
}

/// It does next to nothing in each period, and its regions keep it from being idle.
TEST_F(DemandTest, IsLittleWithSmallRegionsNowAndThen) {
        for (int i = 0; i < 5; i++) {
                begin_region(300ms);
                run({8, 50, kOutside}, 1s);
        }
        EXPECT_EQ(demand_.wants(), 1U);
        EXPECT_FALSE(demand_.idle());
}

TEST_F(DemandTest, FallsTenSecondsAfterThePeak) {
        run({8, 8'000, kInRegion}, 1s);
        run({8, 2'000, kInRegion}, 10s);
        EXPECT_EQ(demand_.wants(), 0U) << "all of it, within the last ten seconds";
        run({8, 2'000, kInRegion}, 1s);
        EXPECT_EQ(demand_.wants(), 3U);
}

TEST_F(DemandTest, RemembersLowerPeaksBehindAHigherOne) {
        run({8, 6'000, kInRegion}, 1s);
        run({8, 4'000, kInRegion}, 5s);
        run({8, 1'000, kInRegion}, 6s);
        EXPECT_EQ(demand_.wants(), 6U);
        run({8, 1'000, kInRegion}, 10s);
        EXPECT_EQ(demand_.wants(), 2U);
}

/// A program that burns the same whatever it is granted settles.
TEST_F(DemandTest, DoesNotFlapBetweenWhatIsNeededAndAll) {
        for (std::uint32_t burn = 100; burn <= 16'000; burn += 37) {
                demand_ = {};
                std::uint32_t granted = 64;
                int changes = 0;
                for (int i = 0; i < 60; i++) {
                        run({granted, burn, kInRegion}, 1s);
                        const auto next = demand_.wants() == 0 ? 64 : demand_.wants();
                        changes += next != granted ? 1 : 0;
                        granted = next;
                }
                EXPECT_LE(changes, 1) << burn << " millicpu";
        }
}

/// It and its neighbour leave no CPU idle, and something else burns half a CPU, too little to
/// count.
TEST_F(DemandTest, OfASmallOneOnAFullMachineStaysSmall) {
        constexpr std::uint32_t kBurn = 200;
        constexpr std::uint32_t kElsewhere = 500;
        std::uint32_t granted = 32;
        std::uint32_t sum = 0;
        for (int i = 0; i < 60; i++) {
                const auto used = kBurn + kElsewhere;
                const auto idle = std::max(granted * 1'000, used) - used;
                begin_region(500ms);
                run({granted, kBurn, kInRegion, false, idle}, 1s);
                granted = demand_.wants() == 0 ? 32 : demand_.wants();
                sum += i < 20 ? 0 : granted;
        }
        EXPECT_LE(sum, 2U * 40);
}

TEST_F(DemandTest, IsIdleAfterASecondInARegionWithNothingToDo) {
        begin_region(100ms);
        run({8, 700, kInRegion}, 900ms, 900ms);
        EXPECT_FALSE(demand_.idle()) << "for 0.8 s";
        run({8, 700, kInRegion}, 100ms, 100ms);
        EXPECT_TRUE(demand_.idle()) << "nearly a second: timers are early, or late";
        run({8, 900, kInRegion}, 1s);
        EXPECT_FALSE(demand_.idle());
}

/// Others use the CPUs that it lends, and its region is one of more threads than it is granted.
TEST_F(DemandTest, IsIdleAsleepInARegionWhoeverHasItsCpus) {
        run({16, 0, kInRegion, false, 6'000}, 2s);
        EXPECT_TRUE(demand_.idle());
        run({16, 0, kInRegion, false, 0}, 5s);
        EXPECT_TRUE(demand_.idle());
        run({16, 700, kInRegion, false, 0}, 1s);
        EXPECT_FALSE(demand_.idle()) << "it waits for CPUs";
}

TEST_F(DemandTest, IsIdleAfterASecondOfSerialWork) {
        run({8, 8'000, kInRegion}, 1s);
        run({8, 1'200, kOutside}, 1s);
        EXPECT_FALSE(demand_.idle());
        run({8, 1'000, kOutside}, 1s);
        EXPECT_TRUE(demand_.idle());
}

TEST_F(DemandTest, IsNotIdleOutsideOfRegionsWithMoreThanAThreadBusy) {
        run({8, 1'200, kOutside}, 5s);
        EXPECT_FALSE(demand_.idle());
}

TEST_F(DemandTest, OnASingleCpuWorkMayBeRegionsThatNobodySaw) {
        run({1, 500, kOutside}, 5s);
        EXPECT_FALSE(demand_.idle());
        run({1, 90, kOutside}, 2s);
        EXPECT_TRUE(demand_.idle());
}

TEST_F(DemandTest, IsStillIdleOnTheOneCpuThatWasLeft) {
        run({8, 1'000, kOutside}, 2s);
        ASSERT_TRUE(demand_.idle());
        run({1, 1'000, kOutside}, 60s);
        EXPECT_TRUE(demand_.idle());
}

TEST_F(DemandTest, IsIdleWhenStoppedWhateverTheLastWindowSays) {
        run({8, 8'000, kInRegion}, 5s);
        run({8, 6'000, kInRegion, kStopped}, 500ms, 500ms);
        EXPECT_TRUE(demand_.idle());
        run({8, 2'000, kInRegion}, 500ms, 500ms);
        EXPECT_FALSE(demand_.idle());
}

TEST_F(DemandTest, IsIdleAsSoonAsItIsSeenToBeStopped) {
        run({8, 8'000, kInRegion}, 5s);
        demand_.stopped(now_);
        EXPECT_TRUE(demand_.idle());
        run({8, 6'000, kInRegion, kStopped}, 500ms, 500ms);
        EXPECT_TRUE(demand_.idle());
        run({8, 2'000, kInRegion}, 500ms, 500ms);
        EXPECT_FALSE(demand_.idle());
}

/// The test stops it in the manner of cpulimit(1).
TEST_F(DemandTest, IsNotIdleForLongWhileItIsStoppedAgainAndAgain) {
        int lent = 0;
        for (int i = 0; i < 200; i++) {
                run({8, 4'000, kInRegion}, 50ms, 50ms);
                const bool was_idle = demand_.idle();
                demand_.stopped(now_ + 20ms);
                run({8, 4'000, kInRegion, kStopped}, 50ms, 50ms);
                lent += demand_.idle() && !was_idle ? 1 : 0;
                demand_.woke(now_);
        }
        EXPECT_EQ(lent, 2) << "in 20 s";
        run({8, 0, kInRegion, kStopped}, 1700ms, 100ms);
        EXPECT_FALSE(demand_.idle());
        run({8, 0, kInRegion, kStopped}, 300ms, 100ms);
        EXPECT_TRUE(demand_.idle());
        run({8, 8'000, kInRegion}, 11s);
        demand_.stopped(now_);
        EXPECT_TRUE(demand_.idle()) << "that was long ago";
}

TEST_F(DemandTest, IsNotIdleForLongWhileItIsStoppedAgainAndAgainInOneRegion) {
        int lent = 0;
        for (int i = 0; i < 20; i++) {
                run({8, 8'000, kInRegion}, 1s, 1s);
                const bool was_idle = demand_.idle();
                run({8, 0, kInRegion, kStopped}, 1s, 1s);
                lent += demand_.idle() && !was_idle ? 1 : 0;
        }
        EXPECT_EQ(lent, 2) << "in 40 s";
}

TEST_F(DemandTest, ComesBackWithARegionAndIsNotKnownThen) {
        run({8, 0, kOutside}, 30s);
        ASSERT_TRUE(demand_.idle());
        demand_.woke(now_);
        EXPECT_FALSE(demand_.idle());
        EXPECT_EQ(demand_.wants(), 0U) << "not the little of an idle time";
}

TEST_F(DemandTest, IsLowAnewAfterEachRegion) {
        for (int i = 0; i < 20; i++) {
                run({8, 100, kOutside}, 800ms, 100ms);
                demand_.woke(now_);
                EXPECT_FALSE(demand_.idle());
        }
        run({8, 100, kOutside}, 1100ms, 100ms);
        EXPECT_TRUE(demand_.idle());
}

TEST_F(DemandTest, KeepsItsPeaksWhenARegionBeginsThatWasNotIdle) {
        run({8, 3'000, kInRegion}, 3s);
        demand_.woke(now_);
        EXPECT_EQ(demand_.wants(), 5U);
}

}  // namespace
}  // namespace governor::evidence
