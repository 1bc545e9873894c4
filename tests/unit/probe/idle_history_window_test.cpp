// SPDX-License-Identifier: MIT
// The length of IdleHistory's window, the time when it is first full, and recorded machines.
#include "probe/idle_history.hpp"

#include "readings.hpp"

#include <gtest/gtest.h>

namespace governor::probe {
namespace {

using std::chrono::milliseconds;

/// Feeds a fully idle CPU every `period` until `until_ms`; returns when it became warm, or -1.
std::int64_t warm_at(IdleHistory& history, milliseconds period, std::int64_t until_ms) {
        for (std::int64_t ms = 0; ms <= until_ms; ms += period.count()) {
                EXPECT_TRUE(history.add(reading({{0, static_cast<std::uint64_t>(ms / 10), 0, 1}}),
                                        at(ms), period));
                if (!history.sample().warming_up)
                        return ms;
        }
        return -1;
}

TEST(IdleWindow, IsFullAfterTheFirstPeriod) {
        IdleHistory one(TimeBase::Wall, kTicksPerSecond);
        EXPECT_TRUE(one.sample().warming_up);
        EXPECT_EQ(warm_at(one, milliseconds{1000}, 5000), 1000);
        IdleHistory five(TimeBase::Wall, kTicksPerSecond);
        EXPECT_EQ(warm_at(five, milliseconds{5000}, 20000), 5000);
}

TEST(IdleWindow, IsFullAfterASecondEvenIfThePeriodIsShorter) {
        IdleHistory history(TimeBase::Wall, kTicksPerSecond);
        const auto warm = warm_at(history, milliseconds{50}, 5000);
        EXPECT_GE(warm, 900);
        EXPECT_LE(warm, 1000);
}

TEST(IdleWindow, IsFullWhenATimerComesAFewMillisecondsEarly) {
        IdleHistory history(TimeBase::Wall, kTicksPerSecond);
        EXPECT_TRUE(history.add(reading({{0, 0, 0, 0}}), at(0), milliseconds{1000}));
        EXPECT_TRUE(history.add(reading({{0, 99, 0, 1}}), at(995), milliseconds{1000}));
        EXPECT_FALSE(history.sample().warming_up);
}

TEST(IdleWindow, CoversAboutASecondWhenThePeriodIsShort) {
        IdleHistory history(TimeBase::Wall, kTicksPerSecond);
        const auto add = [&](std::int64_t ms) {
                const auto idle = static_cast<std::uint64_t>(std::min<std::int64_t>(ms, 3000) / 10);
                const auto all = static_cast<std::uint64_t>(ms / 10);
                EXPECT_TRUE(
                        history.add(reading({{0, idle, 0, all - idle}}), at(ms), milliseconds{50}));
        };
        std::int64_t ms = 0;
        for (; ms <= 3000; ms += 50)  // idle for 3 s, then busy
                add(ms);
        EXPECT_EQ(idle_of(history, 0), 10000U);
        for (; ms <= 3500; ms += 50)
                add(ms);
        EXPECT_GT(*idle_of(history, 0), 4000U);  // half of the window was idle
        EXPECT_LT(*idle_of(history, 0), 6000U);
        for (; ms <= 4100; ms += 50)
                add(ms);
        EXPECT_EQ(idle_of(history, 0), 0U);
}

TEST(IdleWindow, CoversOnePeriodWhenThePeriodIsLong) {
        IdleHistory history(TimeBase::Wall, kTicksPerSecond);
        EXPECT_TRUE(history.add(reading({{0, 0, 0, 0}}), at(0), milliseconds{5000}));
        EXPECT_TRUE(history.add(reading({{0, 500, 0, 0}}), at(5000), milliseconds{5000}));
        EXPECT_TRUE(history.add(reading({{0, 600, 0, 400}}), at(10000), milliseconds{5000}));
        EXPECT_EQ(idle_of(history, 0), 2000U);
}

TEST(IdleWindow, GrowsWhenThePeriodIsMadeLonger) {
        IdleHistory history(TimeBase::Wall, kTicksPerSecond);
        const milliseconds one{1000};
        const milliseconds four{4000};
        EXPECT_TRUE(history.add(reading({{0, 0, 0, 0}}), at(0), one));
        EXPECT_TRUE(history.add(reading({{0, 100, 0, 0}}), at(1000), one));
        EXPECT_TRUE(history.add(reading({{0, 100, 0, 400}}), at(5000), four));
        EXPECT_EQ(idle_of(history, 0), 0U);
        EXPECT_FALSE(history.sample().warming_up);
        EXPECT_TRUE(history.add(reading({{0, 400, 0, 500}}), at(9000), four));
        EXPECT_EQ(idle_of(history, 0), 7500U);
}

TEST(IdleWindow, SaysHowLongItWillTakeToFill) {
        IdleHistory history(TimeBase::Wall, kTicksPerSecond);
        const milliseconds one{1000};
        EXPECT_EQ(history.warm_in(at(0), one), milliseconds{1000});
        EXPECT_EQ(history.warm_in(at(0), milliseconds{50}), milliseconds{1000});
        EXPECT_EQ(history.warm_in(at(0), milliseconds{5000}), milliseconds{5000});
        EXPECT_TRUE(history.add(reading({{0, 0, 0, 0}}), at(0), one));
        EXPECT_EQ(history.warm_in(at(300), one), milliseconds{700});
        EXPECT_EQ(history.warm_in(at(300) + std::chrono::microseconds{1}, one), milliseconds{700});
        EXPECT_GE(history.warm_in(at(3000), one), milliseconds{1});  // the timer is late
        EXPECT_TRUE(history.add(reading({{0, 50, 0, 50}}), at(1000), one));
        EXPECT_EQ(history.warm_in(at(1000), one), milliseconds{0});
}

TEST(RecordedMachine, IsWholeWithItsFirstReading) {
        IdleHistory history(TimeBase::Ticks, kTicksPerSecond);
        EXPECT_TRUE(history.add(reading({{0, 900, 50, 50}, {1, 0, 0, 1000}}), at(0),
                                milliseconds{1000}));
        EXPECT_FALSE(history.sample().warming_up);
        EXPECT_EQ(history.warm_in(at(0), milliseconds{1000}), milliseconds{0});
        EXPECT_EQ(idle_of(history, 0), 9500U);
        EXPECT_EQ(idle_of(history, 1), 0U);
}

TEST(RecordedMachine, HoldsIdleAgainstTheSumOfItsColumns) {
        IdleHistory history(TimeBase::Ticks, kTicksPerSecond);
        EXPECT_TRUE(history.add(reading({{0, 100, 0, 100}}), at(0), milliseconds{1000}));
        EXPECT_TRUE(history.add(reading({{0, 110, 0, 490}}), at(1), milliseconds{1000}));
        EXPECT_EQ(idle_of(history, 0), 250U);
}

TEST(RecordedMachine, KeepsItsRatiosWhileTheFileStaysTheSame) {
        IdleHistory history(TimeBase::Ticks, kTicksPerSecond);
        for (std::int64_t ms = 0; ms < 5000; ms += 1000) {
                EXPECT_TRUE(history.add(reading({{0, 300, 0, 700}}), at(ms), milliseconds{1000}));
                EXPECT_EQ(idle_of(history, 0), 3000U);
        }
}

TEST(RecordedMachine, GainsACpuWhoseCountersStartAtBoot) {
        IdleHistory history(TimeBase::Ticks, kTicksPerSecond);
        EXPECT_TRUE(history.add(reading({{0, 300, 0, 700}}), at(0), milliseconds{1000}));
        EXPECT_TRUE(history.add(reading({{0, 300, 0, 700}, {1, 10, 0, 30}}), at(1),
                                milliseconds{1000}));
        EXPECT_EQ(idle_of(history, 1), 2500U);
}

}  // namespace
}  // namespace governor::probe
