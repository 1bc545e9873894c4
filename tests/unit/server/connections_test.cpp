// SPDX-License-Identifier: MIT
// The order in which clients are served, with the kernel's sockets and no daemon.
#include "server/connections/connections.hpp"

#include "server/kernel/unique_fd.hpp"
#include "support/descriptor_limit.hpp"
#include "support/lingering.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <governor/v1/frame.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace governor::server {
namespace {

using policy::Account;
using std::chrono::milliseconds;

const Account kAnna{1000};
const Account kBert{1001};

std::string framed(const std::string& message) {
        std::array<std::uint8_t, GOVERNOR_PREFIX_MAX> prefix{};
        const auto size = governor_frame_prefix(message.size(), prefix.data());
        return std::string(reinterpret_cast<const char*>(prefix.data()), size) + message;
}

class ClientsTest : public testing::Test {
protected:
        UniqueFd connect(const Account& account) {
                int ends[2];
                EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
                clients_.add(UniqueFd(ends[0]), account);
                return UniqueFd(ends[1]);
        }

        /// `count` messages that say `text`.
        static void ask(const UniqueFd& client, const std::string& text, int count = 1) {
                std::string bytes;
                for (int i = 0; i < count; i++)
                        bytes += framed(text);
                EXPECT_EQ(::send(client.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
                          static_cast<ssize_t>(bytes.size()));
        }

        /// Does `step` that long after the start.
        void at(milliseconds time, std::function<void()> step) {
                steps_.push_back(loop_.on_time(start_ + time, std::move(step)));
        }
        /// However long a busy machine takes for it, but not for ever. Once per test: an event loop
        /// that was left is over.
        void run_until(const std::function<bool()>& done) {
                constexpr std::chrono::seconds kPatience{60};
                const auto give_up = std::chrono::steady_clock::now() + kPatience;
                EventSource look;
                look = loop_.on_time(start_, [&] {
                        const auto now = std::chrono::steady_clock::now();
                        if (done() || now > give_up)
                                loop_.exit(now > give_up ? 1 : 0);
                        else
                                look.set_time(now + milliseconds{1});
                });
                EXPECT_EQ(loop_.run(), 0);
        }
        void run_until_handled(std::size_t count) {
                run_until([this, count] { return handled_.size() >= count; });
        }

        [[nodiscard]] bool was_handled(const std::string& text) const {
                return std::ranges::find(handled_, text) != handled_.end();
        }

        /// The number of messages that were handled before the first that says `text`.
        [[nodiscard]] std::size_t before(const std::string& text) const {
                const auto found = std::ranges::find(handled_, text);
                EXPECT_NE(found, handled_.end()) << text;
                return static_cast<std::size_t>(found - handled_.begin());
        }

        EventLoop loop_;
        std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
        std::vector<EventSource> steps_;
        std::vector<std::string> handled_;
        std::function<void(std::string_view)> on_message_ = [](std::string_view) {};
        Connections clients_{loop_, 1000, [this](std::string_view message, const Peer&) {
                                     on_message_(message);
                                     handled_.emplace_back(message);
                                     return std::optional<Answer>(std::string(message));
                             }};
};

TEST_F(ClientsTest, OneThatAsksALotLetsTheOthersOfItsAccountHaveTheirTurns) {
        const auto greedy = connect(kAnna);
        const auto modest = connect(kAnna);
        const auto other = connect(kBert);
        ask(greedy, "g", 500);
        ask(modest, "m");
        ask(other, "o");
        run_until_handled(502);
        EXPECT_EQ(handled_.size(), 502U);
        EXPECT_LE(before("m"), 40U);
        EXPECT_LE(before("o"), 40U);
}

TEST_F(ClientsTest, WhoIsOverTheBudgetWaitsAndIsServedInTurn) {
        std::vector<UniqueFd> many;
        for (int i = 0; i < 20; i++)
                many.push_back(connect(kAnna));
        for (const auto& client : many)
                ask(client, "g", 1000);
        const auto other = connect(kBert);
        at(milliseconds{20}, [&] { ask(other, "o"); });
        run_until([&] { return was_handled("o") && handled_.size() >= 4200; });
        const auto run = std::chrono::steady_clock::now() - start_;
        EXPECT_LE(handled_.size(), 4100U + 4000U * run / std::chrono::seconds{1})
                << "a burst, and what came in since";
}

TEST_F(ClientsTest, WhoLeavesWhileItWaitsGivesItsSeatBackAtOnce) {
        std::vector<UniqueFd> many;
        for (int i = 0; i < 50; i++)
                many.push_back(connect(kAnna));
        for (const auto& client : many)
                ask(client, "g", 1000);
        bool left = false;
        at(milliseconds{50}, [&] {
                EXPECT_EQ(clients_.size(), 50U);
                many.clear();
                left = true;
        });
        run_until([&] { return left && clients_.size() == 0; });
        EXPECT_LT(handled_.size(), 50'000U) << "most of them waited";
        EXPECT_EQ(clients_.misbehaved(), 0U);
}

TEST_F(ClientsTest, AStormOfConnectionsCostsItsAccountNoTurn) {
        constexpr int kRounds = 30;
        int round = 0;
        UniqueFd client;
        UniqueFd other;
        EventSource storm;
        storm = loop_.on_time(start_, [&] {
                const bool all_have_gone = clients_.size() + clients_.closing() == 0;
                for (int i = 0; i < 300 && all_have_gone; i++)
                        (void)connect(kAnna);
                round += all_have_gone ? 1 : 0;
                if (round < kRounds)
                        return storm.set_time(std::chrono::steady_clock::now() + milliseconds{1});
                client = connect(kAnna);
                other = connect(kBert);
                ask(client, "a");
                ask(other, "o", 500);
        });
        run_until_handled(501);
        EXPECT_LE(before("a"), 40U) << "not when a debt of seconds is paid";
}

TEST_F(ClientsTest, ThoseBeyondTheLimitOfTheirAccountAreRefused) {
        if (!test_support::may_have_descriptors(2000))
                GTEST_SKIP() << "2000 open files are needed";
        std::vector<UniqueFd> many;
        for (int i = 0; i < 600; i++)
                many.push_back(connect(kAnna));
        EXPECT_EQ(clients_.size(), 468U) << "half of a thousand less those for newcomers";
        EXPECT_EQ(clients_.refused(), 132U);
        char byte = 0;
        EXPECT_EQ(::recv(many.back().get(), &byte, 1, 0), 0) << "told by the end of the stream";
        const auto other = connect(kBert);
        ask(other, "o");
        run_until_handled(1);
        EXPECT_EQ(handled_.size(), 1U);
}

TEST_F(ClientsTest, WhatAClientLeavesUnreadKeepsNobodyWaiting) {
        test_support::Lingering lingering;
        for (int i = 0; i < 20; i++) {
                const auto hostile = connect(kAnna);
                const std::array fds{lingering.make()};
                ASSERT_TRUE(test_support::send_away(hostile.get(), framed("h"), fds));
        }
        const auto other = connect(kBert);
        ask(other, "o");
        run_until([this] { return was_handled("o") && clients_.size() == 1; });
        EXPECT_EQ(handled_.size(), 1U);
}

/// Messages that say "c" take 2 ms.
class CostlyMessages : public ClientsTest {
protected:
        CostlyMessages() {
                on_message_ = [](std::string_view message) {
                        const auto end = EventLoop::cpu_time() + milliseconds{2};
                        while (message == "c" && EventLoop::cpu_time() < end) {
                        }
                };
        }
};

TEST_F(CostlyMessages, LetTimersComeInBetween) {
        std::vector<UniqueFd> many;
        for (int i = 0; i < 20; i++) {
                many.push_back(connect(i % 2 == 0 ? kAnna : kBert));
                ask(many.back(), "c", 10);
        }
        std::size_t before = 0;
        std::size_t most = 0;
        EventSource tick;
        tick = loop_.on_time(start_, [&] {
                most = std::max(most, handled_.size() - before);
                before = handled_.size();
                tick.set_time(EventLoop::now() + milliseconds{1});
        });
        run_until_handled(60);
        EXPECT_LE(most, 2U);
}

TEST_F(CostlyMessages, OfManyAccountsLetAnotherOneIn) {
        constexpr std::uint32_t kMany = 20;
        constexpr std::size_t kAllWait = 60;
        std::vector<UniqueFd> many;
        for (std::uint32_t i = 0; i < kMany; i++) {
                many.push_back(connect(Account{2000 + i}));
                ask(many.back(), "c", 20);
        }
        const auto other = connect(kAnna);
        const auto work = on_message_;
        on_message_ = [&](std::string_view message) {
                if (handled_.size() == kAllWait)
                        ask(other, "o");
                work(message);
        };
        run_until([this] { return was_handled("o"); });
        EXPECT_LE(before("o"), kAllWait + 5) << "of 400";
}

TEST_F(CostlyMessages, AreChargedByTheirTime) {
        const auto greedy = connect(kAnna);
        ask(greedy, "c", 400);
        run_until_handled(60);
        const auto run = std::chrono::steady_clock::now() - start_;
        EXPECT_LE(handled_.size(), 52U + run / milliseconds{20})
                << "0.1 s at once, and then a tenth of the time";
}

}  // namespace
}  // namespace governor::server
