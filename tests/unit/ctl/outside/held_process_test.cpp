// SPDX-License-Identifier: MIT
// A process whose number may be another one's at any time.
#include "outside/held_process.hpp"

#include "support/process.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ctl::outside {
namespace {

class AHeldProcess : public testing::Test {
protected:
        AHeldProcess() : pid_(test_support::fork_child()) {
                while (pid_ == 0)
                        ::pause();
        }
        ~AHeldProcess() override { end(); }
        void end() {
                if (pid_ > 0) {
                        ::kill(pid_, SIGKILL);
                        ::waitpid(pid_, nullptr, 0);
                }
                pid_ = -1;
        }
        [[nodiscard]] std::uint32_t number() const { return static_cast<std::uint32_t>(pid_); }

        pid_t pid_;
};

TEST_F(AHeldProcess, IsNotOneThatHasItsNumber) {
        const auto held = HeldProcess::open("", number());
        ASSERT_TRUE(held && held->id());
        auto id = *held->id();
        EXPECT_TRUE(HeldProcess::open(id));
        id.started_ticks--;
        EXPECT_FALSE(HeldProcess::open(id));
}

TEST_F(AHeldProcess, HasItsThreadsAndNoOther) {
        const auto held = HeldProcess::open("", number());
        ASSERT_TRUE(held);
        EXPECT_EQ(held->threads(), std::vector{number()});
        EXPECT_TRUE(held->has_thread(number()));
        EXPECT_FALSE(held->has_thread(static_cast<std::uint32_t>(::getpid())));
        const auto thread = number();
        end();
        EXPECT_EQ(held->threads(), std::vector<std::uint32_t>{});
        EXPECT_FALSE(held->has_thread(thread));
}

TEST_F(AHeldProcess, AmendsWhatAThreadThatHasGoneMayHaveLeftToAStranger) {
        const auto held = HeldProcess::open("", number());
        ASSERT_TRUE(held);
        const auto thread = number();
        int amended = 0;
        const auto amend = [&] { amended++; };
        EXPECT_TRUE(held->on_thread(
                thread, [] { return true; }, amend));
        EXPECT_FALSE(held->on_thread(
                thread, [] { return false; }, amend));
        EXPECT_EQ(amended, 0);
        const auto act = [&] {
                end();
                return true;
        };
        EXPECT_FALSE(held->on_thread(thread, act, amend));
        EXPECT_EQ(amended, 1);
        EXPECT_FALSE(held->on_thread(thread, act, amend)) << "it has gone before";
        EXPECT_EQ(amended, 1);
}

}  // namespace
}  // namespace ctl::outside
