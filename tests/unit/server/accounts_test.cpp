// SPDX-License-Identifier: MIT
// Connections and work are charged to whom they belong.
#include "server/connections/accounts.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace governor::server {
namespace {

using namespace std::chrono_literals;

const Account kRoot{0};
const Account kAnna{1000};
const Account kBert{1001};
const Account kNetwork{};

class AccountsTest : public ::testing::Test {
protected:
        /// Takes seats until there are no more; returns how many.
        std::size_t take_all(const Account& account) {
                std::size_t taken = 0;
                for (auto seat = accounts_.admit(account); seat; seat = accounts_.admit(account)) {
                        seats_.push_back(std::move(*seat));
                        taken++;
                        if (taken > 10'000)
                                break;
                }
                return taken;
        }

        Accounts accounts_{{1000, 10, 100, 50}};
        std::vector<Seat> seats_;
        TimePoint start_{1h};
};

TEST_F(AccountsTest, OneMayHoldAsMuchAsItLeavesFree) {
        EXPECT_EQ(take_all(kAnna), 495U);
        EXPECT_EQ(take_all(kBert), 247U);
        EXPECT_EQ(take_all(kNetwork), 124U);
        EXPECT_EQ(take_all(kAnna), 0U);
}

TEST_F(AccountsTest, TheLastFewAreForThoseWhoHaveNone) {
        std::size_t seated = 0;
        for (std::uint32_t uid = 1; uid <= 30; uid++)
                seated += take_all(Account{uid}) > 0 ? 1 : 0;
        EXPECT_GE(seated, 17U) << "seven rounds of halving, and ten";
        EXPECT_FALSE(accounts_.admit(Account{1}));
        EXPECT_TRUE(accounts_.admit(kRoot)) << "beyond all";
}

TEST_F(AccountsTest, RootIsNotLimited) {
        EXPECT_GT(take_all(kRoot), 1000U);
        EXPECT_FALSE(accounts_.admit(kAnna));
}

TEST_F(AccountsTest, MoreThanAConnectionIsRefusedBeforeConnectionsAre) {
        std::size_t taken = 0;
        for (;; taken++) {
                auto connection = accounts_.admit(kAnna);
                ASSERT_TRUE(connection) << "refused before it could be told why";
                seats_.push_back(std::move(*connection));
                auto more = accounts_.admit_more(kAnna);
                if (!more)
                        break;
                seats_.push_back(std::move(*more));
        }
        EXPECT_EQ(taken, 245U) << "of 495";
        EXPECT_TRUE(accounts_.admit(kAnna));
        EXPECT_TRUE(accounts_.admit_more(kBert));
}

TEST_F(AccountsTest, MoreThanAConnectionIsNotRootsBeyondAllLimits) {
        std::size_t taken = 0;
        while (auto more = accounts_.admit_more(kRoot)) {
                seats_.push_back(std::move(*more));
                ASSERT_LE(++taken, 1000U);
        }
        EXPECT_EQ(taken, 979U);
        EXPECT_TRUE(accounts_.admit(kRoot));
        EXPECT_TRUE(accounts_.admit(kAnna)) << "of those kept for newcomers";
}

TEST_F(AccountsTest, FiftyThatTakeAllTheyMayLeaveANewcomerItsFirstLease) {
        Accounts accounts({20'352, 318, 100, 50});  // as the shipped service
        std::vector<Seat> seats;
        const Account kCarl{1002};
        const auto take = [&](std::optional<Seat> seat) {
                if (seat)
                        seats.push_back(std::move(*seat));
                return seat.has_value();
        };
        for (int i = 0; i < 5; i++)
                ASSERT_TRUE(take(accounts.admit(kCarl)));
        for (std::uint32_t uid = 2000; uid < 2050; uid++) {
                const Account squatter{uid};
                while (take(accounts.admit(squatter)))
                        (void)take(accounts.admit_more(squatter));
                accounts.set_aside(2 * (uid - 2000 + 1));  // each has an arena
        }
        EXPECT_TRUE(take(accounts.admit(kAnna)));
        EXPECT_TRUE(take(accounts.admit_more(kAnna)));
        EXPECT_FALSE(take(accounts.admit_more(kAnna))) << "its second";
        EXPECT_TRUE(take(accounts.admit_more(kCarl))) << "whatever it holds besides";
        EXPECT_TRUE(take(accounts.admit(kBert))) << "which may be told why not";
}

TEST_F(AccountsTest, WhatIsSetAsideIsNobodys) {
        accounts_.set_aside(500);
        EXPECT_EQ(take_all(kAnna), 245U);
        accounts_.set_aside(2000);
        EXPECT_EQ(take_all(kBert), 0U);
        EXPECT_FALSE(accounts_.admit_more(kRoot));
}

TEST_F(AccountsTest, AConnectionThatGoesMakesRoom) {
        (void)take_all(kAnna);
        seats_.clear();
        EXPECT_EQ(accounts_.held(kAnna), 0U);
        EXPECT_EQ(take_all(kBert), 495U);
}

TEST_F(AccountsTest, AMovedSeatCountsOnce) {
        {
                auto seat = accounts_.admit(kAnna);
                ASSERT_TRUE(seat);
                const Seat moved = std::move(*seat);
                EXPECT_EQ(accounts_.held(kAnna), 1U);
        }
        EXPECT_EQ(accounts_.held(kAnna), 0U);
}

TEST_F(AccountsTest, WhoHasRestedMayDoABurstAtOnce) {
        accounts_.charge(kAnna, 50, start_);
        EXPECT_EQ(accounts_.wait(kAnna, start_), 0ns);
        accounts_.charge(kAnna, 1, start_);
        EXPECT_EQ(accounts_.wait(kAnna, start_), 10ms);
        EXPECT_EQ(accounts_.wait(kAnna, start_ + 10ms), 0ns);
}

TEST_F(AccountsTest, WhoOverdrawsWaitsUntilItIsPaid) {
        accounts_.charge(kAnna, 90, start_);
        EXPECT_EQ(accounts_.wait(kAnna, start_), 400ms);
        EXPECT_EQ(accounts_.wait(kAnna, start_ + 100ms), 300ms);
        EXPECT_EQ(accounts_.wait(kBert, start_), 0ns) << "others do not";
}

TEST_F(AccountsTest, NoDebtIsLargerThanABurst) {
        for (int i = 0; i < 100'000; i++)
                accounts_.charge(kAnna, 1000, start_);
        EXPECT_EQ(accounts_.wait(kAnna, start_), 500ms);
}

TEST_F(AccountsTest, RootDoesNotWait) {
        accounts_.charge(kRoot, 1'000'000, start_);
        EXPECT_EQ(accounts_.wait(kRoot, start_), 0ns);
}

TEST_F(AccountsTest, ALongRestIsNotSavedUp) {
        accounts_.charge(kAnna, 1, start_);
        accounts_.charge(kAnna, 51, start_ + 24h);
        EXPECT_EQ(accounts_.wait(kAnna, start_ + 24h), 10ms);
}

TEST_F(AccountsTest, GoingDoesNotPayForTheWorkDone) {
        {
                const auto seat = accounts_.admit(kAnna);
                accounts_.charge(kAnna, 90, start_);
        }
        accounts_.forget_idle(start_);
        EXPECT_EQ(accounts_.wait(kAnna, start_), 400ms);
}

TEST_F(AccountsTest, OnesWithoutConnectionsOrDebtsAreForgotten) {
        for (std::uint32_t uid = 1; uid <= 1000; uid++)
                accounts_.charge(Account{uid}, 60, start_);
        const auto seat = accounts_.admit(kAnna);
        accounts_.forget_idle(start_ + 599ms);
        EXPECT_EQ(accounts_.known(), 1000U);
        accounts_.forget_idle(start_ + 600ms);
        EXPECT_EQ(accounts_.known(), 1U);
}

/// Over any stretch of time an account gets through at most its rate and one burst.
TEST_F(AccountsTest, NoPatternOfWorkGetsThroughFaster) {
        std::mt19937 random(7);
        auto now = start_;
        std::uint64_t done = 0;
        while (now < start_ + 100s) {
                if (accounts_.wait(kAnna, now) == 0ns) {
                        const auto work = 1 + random() % 5;
                        accounts_.charge(kAnna, work, now);
                        done += work;
                }
                now += std::chrono::milliseconds{random() % 20};
        }
        EXPECT_LE(done, 100U * 100 + 50 + 5);
        EXPECT_GE(done, 100U * 100 * 9 / 10);
}

TEST(Account, HasAName) {
        EXPECT_EQ(kAnna.name(), "user 1000");
        EXPECT_EQ(kNetwork.name(), "the network");
        EXPECT_TRUE(kRoot.is_root());
        EXPECT_FALSE(kNetwork.is_root());
}

}  // namespace
}  // namespace governor::server
