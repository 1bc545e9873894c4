// SPDX-License-Identifier: MIT
// Idle ratios from counters that move, stand still, jump back and disappear.
#include "probe/idle_history.hpp"

#include "readings.hpp"

#include <gtest/gtest.h>
#include <random>

namespace governor::probe {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSecond{1000};

/// A history with a period of 1 s that has seen one CPU idle for a quarter of a second.
class IdleRatio : public ::testing::Test {
protected:
        IdleRatio() {
                add(0, {{0, 1000, 100, 5000}});
                add(1000, {{0, 1025, 100, 5075}});
        }
        void add(std::int64_t ms, const std::vector<Counters>& cpus) {
                EXPECT_TRUE(history_.add(reading(cpus), at(ms), kSecond));
        }

        IdleHistory history_{TimeBase::Wall, kTicksPerSecond};
};

TEST_F(IdleRatio, IsIdleTicksOverElapsedTicks) {
        EXPECT_EQ(idle_of(history_, 0), 2500U);
        EXPECT_FALSE(history_.sample().warming_up);
}

TEST_F(IdleRatio, CountsIowaitAsIdle) {
        add(2000, {{0, 1055, 120, 5125}});
        EXPECT_EQ(idle_of(history_, 0), 5000U);
}

TEST_F(IdleRatio, IsRoundedToTheNearestPermyriad) {
        add(4000, {{0, 1125, 100, 5275}});  // 100 of 300 ticks
        EXPECT_EQ(idle_of(history_, 0), 3333U);
        add(7000, {{0, 1325, 100, 5375}});  // 200 of 300
        EXPECT_EQ(idle_of(history_, 0), 6667U);
}

TEST_F(IdleRatio, GoesFromNothingToEverything) {
        add(2000, {{0, 1025, 100, 5175}});
        EXPECT_EQ(idle_of(history_, 0), 0U);
        add(3000, {{0, 1125, 100, 5175}});
        EXPECT_EQ(idle_of(history_, 0), 10000U);
}

TEST_F(IdleRatio, DoesNotTrustTheBusyColumns) {
        // Bursts of 0.5 ms between two ticks: 78 % busy, none of it in user or system.
        add(2000, {{0, 1047, 100, 5075}});
        EXPECT_EQ(idle_of(history_, 0), 2200U);
        // And a busy column that claims more than the clock allows.
        add(3000, {{0, 1097, 100, 9999}});
        EXPECT_EQ(idle_of(history_, 0), 5000U);
}

TEST_F(IdleRatio, IsNeverMoreThanAllOfTheTime) {
        add(2000, {{0, 1126, 130, 5075}});  // ticks are counted late
        EXPECT_EQ(idle_of(history_, 0), 10000U);
        // After a suspend the counters may have gone on while the clock stood still.
        add(3000, {{0, 900'000, 130, 5075}});
        EXPECT_EQ(idle_of(history_, 0), 10000U);
}

TEST_F(IdleRatio, StaysWhenTheCountersStandStill) {
        add(2000, {{0, 1025, 100, 5075}});
        EXPECT_EQ(idle_of(history_, 0), 2500U);
}

TEST_F(IdleRatio, StaysWhenTheIdleCounterGoesBackwards) {
        add(2000, {{0, 1000, 100, 5200}});
        EXPECT_EQ(idle_of(history_, 0), 2500U);
        add(3000, {{0, 1040, 100, 5260}});
        EXPECT_EQ(idle_of(history_, 0), 4000U);
}

TEST_F(IdleRatio, TakesIowaitThatGoesBackwardsAsNone) {
        add(2000, {{0, 1055, 80, 5165}});
        EXPECT_EQ(idle_of(history_, 0), 3000U);
}

TEST_F(IdleRatio, IsMeasuredOverALateTimersWholeDelay) {
        add(4000, {{0, 1175, 100, 5225}});  // 150 of 300 ticks
        EXPECT_EQ(idle_of(history_, 0), 5000U);
        add(4500, {{0, 1225, 100, 5225}});  // early again: 200 of 350
        EXPECT_EQ(idle_of(history_, 0), 5714U);
        add(5500, {{0, 1225, 100, 5325}});
        EXPECT_EQ(idle_of(history_, 0), 0U);
}

TEST_F(IdleRatio, SurvivesTwoReadingsAtTheSameMoment) {
        IdleHistory history(TimeBase::Wall, kTicksPerSecond);
        EXPECT_TRUE(history.add(reading({{0, 10, 0, 10}}), at(0), kSecond));
        EXPECT_TRUE(history.add(reading({{0, 20, 0, 10}}), at(0), kSecond));
        EXPECT_EQ(idle_of(history, 0), std::nullopt);
        EXPECT_TRUE(history.sample().warming_up);
}

TEST_F(IdleRatio, IsUnknownForANewCpuUntilItWasSeenTwice) {
        add(2000, {{0, 1025, 100, 5175}, {7, 400, 0, 400}});
        ASSERT_EQ(history_.sample().cpus.size(), 2U);
        EXPECT_EQ(history_.sample().cpus[1].cpu, 7U);
        EXPECT_EQ(idle_of(history_, 7), std::nullopt);
        EXPECT_EQ(idle_of(history_, 0), 0U);
        add(3000, {{0, 1025, 100, 5275}, {7, 460, 0, 440}});
        EXPECT_EQ(idle_of(history_, 7), 6000U);
}

TEST_F(IdleRatio, GoesWithItsCpu) {
        add(2000, {{1, 10, 0, 10}});
        ASSERT_EQ(history_.sample().cpus.size(), 1U);
        EXPECT_EQ(history_.sample().cpus[0].cpu, 1U);
}

TEST_F(IdleRatio, StartsAnewWhenACpuComesBackWithSmallerCounters) {
        add(2000, {{1, 10, 0, 10}});
        add(3000, {{0, 3, 0, 4}, {1, 110, 0, 10}});
        EXPECT_EQ(idle_of(history_, 0), std::nullopt);
        EXPECT_EQ(idle_of(history_, 1), 10000U);
        add(4000, {{0, 53, 0, 54}, {1, 110, 0, 110}});
        EXPECT_EQ(idle_of(history_, 0), 5000U);
        EXPECT_EQ(idle_of(history_, 1), 0U);
}

TEST_F(IdleRatio, IsNotMixedUpBetweenCpusWithSparseNumbers) {
        IdleHistory history(TimeBase::Wall, kTicksPerSecond);
        EXPECT_TRUE(history.add(reading({{1, 0, 0, 0}, {64, 0, 0, 0}, {4095, 0, 0, 0}}), at(0),
                                kSecond));
        EXPECT_TRUE(history.add(reading({{1, 10, 0, 90}, {64, 20, 0, 80}, {4095, 30, 0, 70}}),
                                at(1000), kSecond));
        EXPECT_EQ(idle_of(history, 1), 1000U);
        EXPECT_EQ(idle_of(history, 64), 2000U);
        EXPECT_EQ(idle_of(history, 4095), 3000U);
}

TEST_F(IdleRatio, FollowsTheTicksOfTheMachine) {
        IdleHistory history(TimeBase::Wall, 1000);
        EXPECT_TRUE(history.add(reading({{0, 0, 0, 0}}), at(0), kSecond));
        EXPECT_TRUE(history.add(reading({{0, 250, 0, 750}}), at(1000), kSecond));
        EXPECT_EQ(idle_of(history, 0), 2500U);
}

TEST_F(IdleRatio, IsNotTouchedByAShortList) {
        add(2000, {{0, 1075, 100, 5125}, {1, 10, 0, 10}});
        ASSERT_EQ(idle_of(history_, 0), 5000U);
        EXPECT_FALSE(history_.add(reading({{0, 2000, 100, 5125}}, false), at(3000), kSecond));
        EXPECT_EQ(history_.sample().cpus.size(), 2U);
        EXPECT_EQ(idle_of(history_, 0), 5000U);
        // The next whole reading is held against the last whole one.
        add(4000, {{0, 1095, 100, 5305}, {1, 210, 0, 10}});
        EXPECT_EQ(idle_of(history_, 0), 1000U);
        EXPECT_EQ(idle_of(history_, 1), 10000U);
}

TEST_F(IdleRatio, IsTakenFromListsThatNeverHadAnEnd) {
        IdleHistory history(TimeBase::Wall, kTicksPerSecond);
        EXPECT_TRUE(history.add(reading({{0, 0, 0, 0}}, false), at(0), kSecond));
        EXPECT_TRUE(history.add(reading({{0, 50, 0, 50}}, false), at(1000), kSecond));
        EXPECT_EQ(idle_of(history, 0), 5000U);
}

TEST_F(IdleRatio, StaysARatioWhateverTheCountersDo) {
        for (unsigned seed = 1; seed <= 300; seed++) {
                std::mt19937_64 random(seed);
                IdleHistory history(seed % 2 == 0 ? TimeBase::Wall : TimeBase::Ticks,
                                    kTicksPerSecond);
                std::int64_t now_ms = 0;
                for (int step = 0; step < 40; step++) {
                        std::vector<Counters> cpus;
                        for (std::uint32_t cpu = 0; cpu < 8; cpu++)
                                if (random() % 4 != 0)
                                        cpus.push_back({cpu, random() >> (random() % 64),
                                                        random() >> (random() % 64),
                                                        random() >> (random() % 64)});
                        now_ms += static_cast<std::int64_t>(random() % 2000);
                        const milliseconds period{50 + random() % 5000};
                        ASSERT_TRUE(history.add(reading(cpus), at(now_ms), period))
                                << "seed " << seed;
                        ASSERT_EQ(history.sample().cpus.size(), cpus.size()) << "seed " << seed;
                        for (std::size_t i = 0; i < cpus.size(); i++) {
                                const auto& out = history.sample().cpus[i];
                                ASSERT_EQ(out.cpu, cpus[i].cpu) << "seed " << seed;
                                ASSERT_LE(out.idle_permyriad.value_or(0), 10000U)
                                        << "seed " << seed;
                        }
                }
        }
}

}  // namespace
}  // namespace governor::probe
