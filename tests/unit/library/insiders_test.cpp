// SPDX-License-Identifier: MIT
// Threads that are inside of regions, one and several.
#include "insiders.hpp"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace threadcount {
namespace {

TEST(Insiders, OneIsInsideUntilItLeaves) {
        Insiders insiders;
        Insiders::Mark mark;
        EXPECT_TRUE(insiders.none(1));
        for (int i = 0; i < 3; i++) {
                insiders.enter(mark);
                EXPECT_FALSE(insiders.none(1));
                insiders.leave(mark);
                EXPECT_TRUE(insiders.none(1));
                EXPECT_TRUE(insiders.still_none(1));
        }
}

TEST(Insiders, TwiceIsOnce) {
        Insiders insiders;
        Insiders::Mark marks[2];
        for (auto& mark : marks) {
                insiders.enter(mark);
                insiders.enter(mark);
                insiders.leave(mark);
                EXPECT_TRUE(insiders.none(1));
                insiders.leave(mark);
                EXPECT_TRUE(insiders.none(1));
        }
}

TEST(Insiders, AreInsideWhoeverElseHasLeft) {
        Insiders insiders;
        Insiders::Mark marks[3];
        for (auto& mark : marks)
                insiders.enter(mark);
        insiders.leave(marks[1]);
        insiders.leave(marks[0]);
        EXPECT_FALSE(insiders.none(1));
        EXPECT_FALSE(insiders.still_none(1));
        insiders.enter(marks[0]);
        insiders.leave(marks[2]);
        EXPECT_FALSE(insiders.none(1)) << "the first one";
        insiders.leave(marks[0]);
        EXPECT_TRUE(insiders.none(1));
}

TEST(Insiders, WhatBeganUntoldIsOverAPeriodLater) {
        Insiders insiders;
        EXPECT_TRUE(insiders.none(1));
        Insiders::Mark mark;
        insiders.begin_untold(mark, 1);
        EXPECT_FALSE(insiders.none(1));
        EXPECT_FALSE(insiders.none(2));
        EXPECT_TRUE(insiders.none(3));
        insiders.begin_untold(mark, 7);
        EXPECT_TRUE(insiders.none(1)) << "of another governor";
}

TEST(Insiders, WhatBeganUntoldIsOverWhereItsThreadBeginsAnother) {
        Insiders insiders;
        Insiders::Mark a;
        Insiders::Mark b;
        for (std::uint64_t period = 1; period < 4; period++) {
                insiders.begin_untold(a, period);
                insiders.enter(b);
                insiders.leave(b);
                EXPECT_FALSE(insiders.none(period)) << "of another thread";
                insiders.enter(a);
                insiders.leave(a);
                EXPECT_TRUE(insiders.none(period));
        }
        insiders.begin_untold(a, 4);
        insiders.begin_untold(b, 4);
        insiders.begin_untold(a, 4);
        insiders.enter(a);
        insiders.leave(a);
        EXPECT_FALSE(insiders.none(4)) << "who knows which";
        insiders.begin_untold(a, 5);
        insiders.enter(a);
        insiders.leave(a);
        EXPECT_FALSE(insiders.none(6)) << "of two, of late";
        insiders.begin_untold(a, 9);
        insiders.enter(a);
        insiders.leave(a);
        EXPECT_TRUE(insiders.none(9)) << "long after";
}

TEST(Insiders, AreCountedByManyThreadsAtOnce) {
        Insiders insiders;
        std::vector<std::thread> threads;
        for (int i = 0; i < 8; i++)
                threads.emplace_back([&insiders] {
                        Insiders::Mark mark;
                        for (int region = 0; region < 1000; region++) {
                                insiders.enter(mark);
                                EXPECT_FALSE(insiders.none(1));
                                insiders.leave(mark);
                        }
                });
        for (auto& thread : threads)
                thread.join();
        EXPECT_TRUE(insiders.none(1));
}

}  // namespace
}  // namespace threadcount
