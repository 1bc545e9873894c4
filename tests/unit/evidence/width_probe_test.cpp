// SPDX-License-Identifier: MIT
// The trials of a program on fewer CPUs: their times, and their cost to the program.
#include "evidence/width_probe.hpp"

#include "policy/fair/snapshot.hpp"
#include "policy/time_point.hpp"
#include "start.hpp"

#include <gtest/gtest.h>
#include <random>

namespace governor::evidence {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

/// A program that has its turn all the time, and others that wait for theirs.
class WidthProbeTest : public ::testing::Test {
protected:
        void run(nanoseconds span) {
                for (const auto end = now_ + span; now_ < end;)
                        step();
        }

        /// Looks twice in ten milliseconds' time.
        void step() {
                now_ += milliseconds(10);
                served_ += milliseconds(10);
                const auto team = std::min(granted_, flat_);
                inside_ns_ += region_ns_ > 0 ? 10'000'000 : 0;
                const auto region_ns = region_ns_ / team;
                while (region_ns_ > 0 && inside_ns_ >= region_ns) {
                        inside_ns_ -= region_ns;
                        totals_.regions++;
                        totals_.time_ns += region_ns;
                }
                totals_.cpus = granted_;
                speedup_.report(totals_, now_);
                decide();
        }

        void decide() {
                const auto tried = probe_.next(speedup_, granted_, served_, guess_, now_);
                granted_ = cpus_;  // and half of that, as long as more are not worth it
                while (granted_ > 1 && speedup_.elasticity_below(granted_, now_).value_or(1) < 0.5)
                        granted_ /= 2;
                if (tried && do_others_wait_)
                        granted_ = std::min(granted_, tried->cpus);
                probe_.decided(tried, granted_, speedup_, now_);
                least_ = std::min(least_, granted_);
                lost_ += granted_ < cpus_ ? milliseconds(10) * (cpus_ - granted_) / cpus_
                                          : nanoseconds(0);
        }

        Speedup speedup_;
        WidthProbe probe_;
        Speedup::Totals totals_;
        std::uint32_t cpus_ = 16;
        std::uint32_t flat_ = 1000;
        bool do_others_wait_ = true;
        WidthProbe::Guess guess_ = WidthProbe::Guess::None;
        std::uint64_t region_ns_ = 16'000'000;  // on one CPU
        std::uint64_t inside_ns_ = 0;
        std::uint32_t granted_ = 16;
        std::uint32_t least_ = 16;
        nanoseconds served_{0};
        nanoseconds lost_{0};
        TimePoint now_ = kStart;
};

TEST_F(WidthProbeTest, ALinearProgramIsTriedOnceAndKeepsWhatItHas) {
        run(seconds(1));
        EXPECT_EQ(least_, 16U) << "that would be too much of its time so far";
        run(seconds(3));
        EXPECT_EQ(least_, 8U);
        EXPECT_EQ(granted_, 16U);
        EXPECT_GT(lost_.count(), 0);
        const auto lost = lost_;
        run(seconds(60));
        EXPECT_EQ(lost_, lost) << "that is known now";
}

TEST_F(WidthProbeTest, ALinearProgramLosesLittleAtFirstAndTwoPercentInTheLongRun) {
        for (const std::uint64_t region_ns :
             {100'000U, 16'000'000U, 160'000'000U, 1'600'000'000U}) {
                WidthProbe anew;
                std::swap(probe_, anew);
                speedup_ = {};
                served_ = lost_ = nanoseconds(0);
                region_ns_ = region_ns;
                inside_ns_ = 0;
                for (int s = 0; s < 600; s++) {
                        run(seconds(1));
                        EXPECT_LE(lost_ * (s < 60 ? 30 : 50), served_) << region_ns << ' ' << s;
                }
                EXPECT_GT(lost_.count(), 0) << region_ns;
        }
}

TEST_F(WidthProbeTest, OneThatIsNoFasterWithMoreHasNoMoreInTheEnd) {
        flat_ = 4;
        run(seconds(40));
        EXPECT_EQ(granted_, 4U);
        EXPECT_EQ(least_, 2U);
        run(numbers::kHold / 2);
        EXPECT_EQ(granted_, 4U);
}

TEST_F(WidthProbeTest, WhatHasChangedIsFoundOutAgain) {
        flat_ = 4;
        run(seconds(20));
        flat_ = 1000;
        run(numbers::kHold + numbers::kMemory + seconds(5));
        EXPECT_EQ(granted_, 16U);
}

TEST_F(WidthProbeTest, NobodyIsTriedForNothing) {
        do_others_wait_ = false;
        flat_ = 4;
        run(seconds(60));
        EXPECT_EQ(least_, 16U) << "nobody waits";
        do_others_wait_ = true;
        run(milliseconds(100));
        EXPECT_EQ(least_, 8U);
}

TEST_F(WidthProbeTest, WhoHasOneIsLeftAlone) {
        cpus_ = granted_ = least_ = 1;
        run(seconds(60));
        EXPECT_EQ(lost_.count(), 0);
}

TEST_F(WidthProbeTest, WhoHasTwoIsTriedOnOne) {
        cpus_ = granted_ = least_ = 2;
        run(seconds(60));
        EXPECT_EQ(least_, 1U);
}

TEST_F(WidthProbeTest, AnOldGuessIsLookedAtWithoutDelay) {
        guess_ = WidthProbe::Guess::Old;
        run(milliseconds(1200));
        EXPECT_EQ(least_, 8U);
}

TEST_F(WidthProbeTest, AFreshGuessWillDo) {
        guess_ = WidthProbe::Guess::Fresh;
        run(seconds(60));
        EXPECT_EQ(least_, 16U);
}

TEST_F(WidthProbeTest, WhoSaysNothingIsLeftAlone) {
        region_ns_ = 0;
        run(seconds(60));
        EXPECT_EQ(least_, 16U);
}

TEST_F(WidthProbeTest, WhoStopsReportingHasAllBackSoon) {
        while (granted_ == 16 && served_ < seconds(10))
                step();
        ASSERT_EQ(granted_, 8U);
        region_ns_ = 0;
        run(milliseconds(300));
        EXPECT_EQ(granted_, 16U);
        const auto lost = lost_;
        region_ns_ = 16'000'000;
        run(seconds(60));
        EXPECT_EQ(lost_, lost) << "not again soon";
}

TEST_F(WidthProbeTest, RegionsThatAreVeryLongAreNotTried) {
        region_ns_ = 16 * 550'000'000ULL;
        run(seconds(3'000));
        EXPECT_EQ(least_, 16U);
}

TEST_F(WidthProbeTest, RegionsOfATryEndBeforeAnybodyIsCalledRigid) {
        region_ns_ = 16 * 450'000'000ULL;
        run(seconds(60));
        EXPECT_EQ(least_, 8U);
        EXPECT_LT(numbers::kWindow, policy::fair::Settings{}.handover_max);
}

TEST_F(WidthProbeTest, OnePhaseOfALinearProgramTakesNothingAwayForLong) {
        for (auto change = milliseconds(0); change <= seconds(10); change += milliseconds(200)) {
                speedup_ = {};
                probe_ = {};
                served_ = lost_ = nanoseconds(0);
                granted_ = cpus_;
                region_ns_ = 160'000'000;
                run(change);
                region_ns_ = 16'000'000;
                run(numbers::kHold);
                // The half for kMemory, a quarter or the half for a moment more.
                EXPECT_LE(lost_, seconds(10)) << change.count();
        }
}

/// 1 ms, and 10 ms for a while, at random.
TEST_F(WidthProbeTest, PhasesOfALinearProgramCostItLittle) {
        std::mt19937 random(1);
        for (int i = 0; i < 2'000; i++) {
                region_ns_ = i % 2 == 0 ? 16'000'000 : 160'000'000;
                run(milliseconds(100 + random() % 10'000));
        }
        EXPECT_LE(lost_ * 10, served_);
}

}  // namespace
}  // namespace governor::evidence
