// SPDX-License-Identifier: MIT
#include "patience.hpp"

#include <gtest/gtest.h>

using threadcount::pool::Patience;

namespace {

auto after(Patience& patience, int tasks) {
        for (int i = 0; i < tasks; i++)
                patience.took_one();
        return patience.next();
}

}  // namespace

TEST(Patience, IsForWhoHasHadTasksOnly) {
        Patience patience;
        EXPECT_EQ(patience.next(), 0U);
        EXPECT_GT(after(patience, 1), 0U);
        EXPECT_EQ(patience.next(), 0U);
}

TEST(Patience, GrowsWhileSeveralTasksComeAtATimeUpToABound) {
        Patience patience;
        const auto least = after(patience, 1);
        EXPECT_EQ(after(patience, 2), 2 * least);
        EXPECT_EQ(after(patience, 50), 4 * least);
        for (int i = 0; i < 100; i++)
                EXPECT_LE(after(patience, 2), 1'600U);
        EXPECT_EQ(after(patience, 2), 1'600U);
}

TEST(Patience, IsSoonGoneWhenTasksComeOneByOne) {
        Patience patience;
        const auto least = after(patience, 1);
        for (int i = 0; i < 100; i++)
                (void)after(patience, 9);
        (void)patience.next();  // nothing came: says nothing
        for (int i = 0; i < 4; i++)
                EXPECT_GE(after(patience, 1), least);
        EXPECT_EQ(after(patience, 1), least);
}
