// SPDX-License-Identifier: MIT
// The part of the time that goes to programs with a positive nice value.
#include "probe/idle_history.hpp"

#include "readings.hpp"

#include <gtest/gtest.h>
#include <random>

namespace governor::probe {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSecond{1000};

/// A CPU that was busy for three quarters of a second, one of them niced.
class NiceTime : public ::testing::Test {
protected:
        NiceTime() {
                add(0, {{0, 1000, 100, 5000, 700}});
                add(1000, {{0, 1025, 100, 5075, 725}});
        }
        void add(std::int64_t ms, const std::vector<Counters>& cpus) {
                EXPECT_TRUE(history_.add(reading(cpus), at(ms), kSecond));
        }

        IdleHistory history_{TimeBase::Wall, kTicksPerSecond};
};

TEST_F(NiceTime, IsNicedTicksOverElapsedTicks) { EXPECT_EQ(nice_of(history_, 0), 2500U); }

TEST_F(NiceTime, IsMeasuredAsTimeIsThatTheHypervisorTook) {
        add(2000, {{0, 1050, 100, 5150, 750, 30}});
        EXPECT_EQ(history_.sample().cpus[0].stolen_permyriad, 3000U);
        add(3000, {{0, 1140, 100, 5160, 750, 60}});
        EXPECT_EQ(history_.sample().cpus[0].stolen_permyriad, 1000U) << "no more than it was busy";
        add(4000, {{0, 1165, 100, 5235, 750, 10}});
        EXPECT_EQ(history_.sample().cpus[0].stolen_permyriad, 0U) << "it went backwards";
}

TEST_F(NiceTime, IsNoneWhereItGoesBackwards) {
        add(2000, {{0, 1050, 100, 5150, 10}});
        EXPECT_EQ(idle_of(history_, 0), 2500U);
        EXPECT_EQ(nice_of(history_, 0), 0U);
        add(3000, {{0, 1075, 100, 5225, 20}});
        EXPECT_EQ(nice_of(history_, 0), 1000U);
}

TEST_F(NiceTime, IsNeverMoreThanTheBusyTime) {
        add(2000, {{0, 1085, 100, 5115, 825}});
        EXPECT_EQ(idle_of(history_, 0), 6000U);
        EXPECT_EQ(nice_of(history_, 0), 4000U);
        add(3000, {{0, 1185, 100, 5115, 925}});
        EXPECT_EQ(nice_of(history_, 0), 0U);
}

TEST_F(NiceTime, StaysWithTheIdleTimeWhenTheCountersStandStill) {
        add(2000, {{0, 1025, 100, 5075, 725}});
        EXPECT_EQ(idle_of(history_, 0), 2500U);
        EXPECT_EQ(nice_of(history_, 0), 2500U);
}

TEST_F(NiceTime, IsNoneOfACpuThatIsNewOrForgotten) {
        add(2000, {{0, 1050, 100, 5150, 750}, {1, 10, 0, 10, 5}});
        EXPECT_EQ(idle_of(history_, 1), std::nullopt);
        EXPECT_EQ(nice_of(history_, 1), 0U);
        EXPECT_EQ(nice_of(history_, 0), 2500U);
        history_.forget();
        EXPECT_EQ(idle_of(history_, 0), std::nullopt);
        EXPECT_EQ(nice_of(history_, 0), 0U);
}

TEST_F(NiceTime, OfARecordedMachineCountsFromBootAndStays) {
        IdleHistory history(TimeBase::Ticks, kTicksPerSecond);
        for (int times = 0; times < 3; times++) {
                EXPECT_TRUE(history.add(reading({{0, 50, 0, 50, 30}}), at(times), kSecond));
                EXPECT_EQ(idle_of(history, 0), 5000U);
                EXPECT_EQ(nice_of(history, 0), 3000U);
        }
}

TEST_F(NiceTime, IsAPartOfTheBusyTimeWhateverTheCountersDo) {
        std::mt19937_64 random(7);
        const auto any = [&] { return random() >> (random() % 64); };
        for (int step = 1; step < 5000; step++) {
                add(step * 700, {{0, any(), any(), any(), any()}});
                const auto& cpu = history_.sample().cpus.at(0);
                ASSERT_LE(cpu.nice_permyriad + cpu.idle_permyriad.value_or(10000), 10000U);
        }
}

}  // namespace
}  // namespace governor::probe
