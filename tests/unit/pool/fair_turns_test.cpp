// SPDX-License-Identifier: MIT
// Turns between a lane's own tasks and those from outside.
#include "fair_turns.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>

namespace {

/// A lane with tasks of both kinds that take so long.
class TurnsOfALane : public testing::Test {
protected:
        /// The kinds that it takes, one after the other: o(wn) or s(hared).
        std::string take(int tasks) {
                std::string kinds;
                for (int i = 0; i < tasks; i++) {
                        const bool is_shared = turns_.is_shared(
                                [this] { return has_own_; }, [this] { return has_shared_; }, now_);
                        const bool is_there = is_shared ? has_shared_ : has_own_;
                        if (is_there)
                                turns_.took_one(now_);
                        else
                                turns_.had_none();
                        kinds += is_shared == is_there ? 's' : 'o';
                        time_ns_ += is_shared == is_there ? shared_ns_ : own_ns_;
                }
                return kinds;
        }

        bool has_own_ = true;
        bool has_shared_ = true;
        std::uint64_t own_ns_ = 100;
        std::uint64_t shared_ns_ = 100;
        int looks_ = 0;

private:
        struct Clock {
                TurnsOfALane& lane;
                std::uint64_t operator()() const {
                        lane.looks_++;
                        return lane.time_ns_;
                }
        };

        threadcount::pool::FairTurns turns_;
        std::uint64_t time_ns_ = 1'000'000'000;
        const Clock now_{*this};
};

std::string times(int count, char kind) {
        return std::string(static_cast<std::size_t>(count), kind);
}

}  // namespace

TEST_F(TurnsOfALane, ShortTasksTakeTurnsOf32) {
        EXPECT_EQ(take(128), times(32, 'o') + times(32, 's') + times(32, 'o') + times(32, 's'));
}

TEST_F(TurnsOfALane, LongTasksTakeTurnsOfOne) {
        own_ns_ = shared_ns_ = 1'000'000;
        EXPECT_EQ(take(6), "ososos");
}

TEST_F(TurnsOfALane, AfterALongTaskOfItsOwnThoseFromOutsideHaveAsMuchTime) {
        own_ns_ = 1'000'000;
        shared_ns_ = 10'000;
        EXPECT_EQ(take(202), "o" + times(100, 's') + "o" + times(100, 's'));
}

TEST_F(TurnsOfALane, AfterALongTaskFromOutsideItsOwnHaveNoLongerTurn) {
        shared_ns_ = 1'000'000;
        EXPECT_EQ(take(66), times(32, 'o') + "s" + times(32, 'o') + "s");
}

TEST_F(TurnsOfALane, OneKindAloneHasAllTurnsAndHardlyEverLooksAtTheClock) {
        has_shared_ = false;
        EXPECT_EQ(take(320), times(320, 'o'));
        EXPECT_LE(looks_, 11);
        has_own_ = false;
        has_shared_ = true;
        looks_ = 0;
        EXPECT_EQ(take(320), times(320, 's'));
        EXPECT_LE(looks_, 11);
}
