// SPDX-License-Identifier: MIT
// CPUs for programs that come and go.
#include "evidence/short_lived.hpp"

#include <gtest/gtest.h>

namespace governor::evidence {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class ShortLivedPrograms : public testing::Test {
protected:
        /// `per_second` programs that live for a tenth of a second and keep one CPU busy each.
        void run(int per_second, seconds span) {
                for (int i = 0; i < per_second * span.count(); i++) {
                        now_ += milliseconds{1000} / per_second;
                        lives_.add(milliseconds{100}, milliseconds{100}, now_);
                        lives_.update(now_);
                }
        }

        ShortLived lives_;
        TimePoint now_{seconds{1000}};
};

TEST_F(ShortLivedPrograms, NeedAsManyCpusAsTheyKeptBusyOnAverage) {
        run(20, seconds{15});
        EXPECT_EQ(lives_.cpus(), 2U);
}

TEST_F(ShortLivedPrograms, CountEachThatEndsAtTheSameMoment) {
        for (int i = 0; i < 200; i++)
                lives_.add(milliseconds{100}, milliseconds{100}, now_);
        lives_.update(now_);
        EXPECT_EQ(lives_.cpus(), 2U);
        lives_.update(now_ + seconds{11});
        EXPECT_TRUE(lives_.empty());
}

TEST_F(ShortLivedPrograms, AreForgottenWhenNoneHasComeForAWhile) {
        run(20, seconds{15});
        EXPECT_FALSE(lives_.empty());
        lives_.update(now_ + seconds{11});
        EXPECT_EQ(lives_.cpus(), 0U);
        EXPECT_TRUE(lives_.empty());
}

TEST_F(ShortLivedPrograms, AreKnownOfWhereNobodyKnowsWhatTheyUsed) {
        lives_.add(milliseconds{100}, milliseconds{0}, now_);
        lives_.update(now_);
        EXPECT_FALSE(lives_.empty());
        EXPECT_EQ(lives_.cpus(), 0U);
}

TEST_F(ShortLivedPrograms, AreNotOneThatLivedForASecond) {
        for (int i = 0; i < 100; i++)
                lives_.add(seconds{1}, seconds{64}, now_);
        lives_.update(now_);
        EXPECT_EQ(lives_.cpus(), 0U);
}

TEST_F(ShortLivedPrograms, DoNotMakeTheNumberFlicker) {
        run(20, seconds{12});
        int changes = 0;
        for (int i = 0; i < 50; i++) {
                const auto before = lives_.cpus();
                run(15 + i % 3 * 5, seconds{1});
                changes += lives_.cpus() != before ? 1 : 0;
        }
        EXPECT_LE(changes, 1);
}

}  // namespace
}  // namespace governor::evidence
