// SPDX-License-Identifier: MIT
// Programs with one thread, by what they run and how long they wait.
#include "evidence/low_use.hpp"

#include <gtest/gtest.h>

namespace governor::evidence {
namespace {

using namespace std::chrono_literals;

class LightUseTest : public ::testing::Test {
protected:
        /// Adds so much to each second.
        void run(std::chrono::milliseconds runs, std::chrono::milliseconds waits, int seconds,
                 std::chrono::milliseconds other_threads = 0ms) {
                for (int i = 0; i < seconds; i++) {
                        now_ += 1s;
                        reading_.process += runs + other_threads;
                        reading_.thread += runs;
                        reading_.waited += waits;
                        use_.add(reading_, now_);
                }
        }

        LowUse use_;
        LowUse::Reading reading_{};
        TimePoint now_{1h};
};

TEST_F(LightUseTest, IsOfAProgramThatHasRunAndWaitedLittleForASecond) {
        run(250ms, 50ms, 1);
        EXPECT_FALSE(use_.light()) << "seen once";
        run(250ms, 50ms, 1);
        EXPECT_TRUE(use_.light());
}

TEST_F(LightUseTest, DoesNotCountTheTimeOfMoreThreads) {
        run(250ms, 50ms, 1);
        use_.pause();
        now_ += 1min;
        run(250ms, 50ms, 1);
        EXPECT_FALSE(use_.light()) << "seen once since";
}

TEST_F(LightUseTest, IsNotOfWhoIsCrowdedOut) {
        run(100ms, 900ms, 20);
        EXPECT_FALSE(use_.light());
}

TEST_F(LightUseTest, BearsThatASharedCpuIsHalfAsFast) {
        run(490ms, 0ms, 5);
        ASSERT_TRUE(use_.light());
        run(330ms, 330ms, 20);
        EXPECT_TRUE(use_.light());
        run(330ms, 440ms, 1);
        EXPECT_FALSE(use_.light()) << "it could have used 0.77";
}

TEST_F(LightUseTest, ComesBack) {
        run(100ms, 0ms, 5);
        ASSERT_TRUE(use_.light());
        run(900ms, 0ms, 1);
        EXPECT_FALSE(use_.light());
        run(600ms, 0ms, 1);
        EXPECT_FALSE(use_.light());
        run(100ms, 0ms, 1);
        EXPECT_TRUE(use_.light());
}

TEST_F(LightUseTest, IsNotKnownWhereOtherThreadsDoTheWork) {
        run(100ms, 0ms, 20, 100ms);
        EXPECT_FALSE(use_.light());
        run(100ms, 0ms, 3, 10ms);
        EXPECT_TRUE(use_.light()) << "hardly any";
        run(100ms, 0ms, 1, 100ms);
        EXPECT_FALSE(use_.light());
}

TEST_F(LightUseTest, EndsWhenNobodyCanRead) {
        run(100ms, 0ms, 5);
        use_.unknown();
        EXPECT_FALSE(use_.light());
}

TEST_F(LightUseTest, LastsWhileOthersLeaveMoreCpusToIt) {
        run(100ms, 0ms, 5);
        use_.pause();
        use_.burned(500);
        EXPECT_TRUE(use_.light());
        reading_.process += 10s;  // of many threads, which is over
        run(100ms, 0ms, 1);
        EXPECT_TRUE(use_.light());
        use_.burned(800);
        EXPECT_FALSE(use_.light());
}

TEST_F(LightUseTest, IsJudgedOverAboutASecondWhateverThePeriod) {
        for (int i = 0; i < 200; i++) {
                now_ += 50ms;
                if (i % 10 == 0) {  // a fifth of the time
                        reading_.process += 100ms;
                        reading_.thread += 100ms;
                }
                use_.add(reading_, now_);
        }
        EXPECT_TRUE(use_.light());
}

}  // namespace
}  // namespace governor::evidence
