// SPDX-License-Identifier: MIT
// Who is served when, with the kernel's sockets and no daemon.
#include "server/clients.hpp"

#include "server/unique_fd.hpp"

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

using registry::Account;
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
        /// Once per test: an event loop that was left is over.
        void run_for(milliseconds time) {
                at(time, [this] { loop_.exit(0); });
                EXPECT_EQ(loop_.run(), 0);
        }

        /// How many messages were handled before the first that says `text`.
        [[nodiscard]] std::size_t before(const std::string& text) const {
                const auto found = std::ranges::find(handled_, text);
                EXPECT_NE(found, handled_.end()) << text;
                return static_cast<std::size_t>(found - handled_.begin());
        }

        EventLoop loop_;
        std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
        std::vector<EventSource> steps_;
        std::vector<std::string> handled_;
        Clients clients_{loop_, 1000, [this](std::string_view message, const Account&) {
                                 handled_.emplace_back(message);
                                 return std::optional<std::string>(message);
                         }};
};

TEST_F(ClientsTest, OneThatAsksALotLetsTheOthersOfItsAccountHaveTheirTurns) {
        const auto greedy = connect(kAnna);
        const auto modest = connect(kAnna);
        const auto other = connect(kBert);
        ask(greedy, "g", 500);
        ask(modest, "m");
        ask(other, "o");
        run_for(milliseconds{100});
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
        run_for(milliseconds{120});
        const auto run = std::chrono::steady_clock::now() - start_;
        EXPECT_LE(handled_.size(), 4100U + 4000U * run / std::chrono::seconds{1})
                << "a burst, and what came in since";
        EXPECT_NE(std::ranges::find(handled_, "o"), handled_.end());
}

TEST_F(ClientsTest, WhoLeavesWhileItWaitsGivesItsSeatBackAtOnce) {
        std::vector<UniqueFd> many;
        for (int i = 0; i < 50; i++)
                many.push_back(connect(kAnna));
        for (const auto& client : many)
                ask(client, "g", 1000);
        at(milliseconds{50}, [&] {
                EXPECT_EQ(clients_.size(), 50U);
                EXPECT_LT(handled_.size(), 50'000U) << "most of them wait";
                many.clear();
        });
        run_for(milliseconds{100});
        EXPECT_EQ(clients_.size(), 0U);
        EXPECT_EQ(clients_.misbehaved(), 0U);
}

TEST_F(ClientsTest, AStormOfConnectionsCostsItsAccountNoTurn) {
        constexpr int kRounds = 30;
        UniqueFd client;
        for (int round = 0; round < kRounds; round++)
                at(milliseconds{5 * round}, [this] {
                        for (int i = 0; i < 300; i++)
                                (void)connect(kAnna);
                });
        std::size_t soon = 0;
        at(milliseconds{5 * kRounds + 50}, [&] {
                client = connect(kAnna);
                ask(client, "a");
        });
        at(milliseconds{5 * kRounds + 100}, [&] { soon = handled_.size(); });
        run_for(milliseconds{5 * kRounds + 120});
        EXPECT_EQ(soon, 1U) << "not when a debt of seconds is paid";
}

TEST_F(ClientsTest, ThoseBeyondTheLimitOfTheirAccountAreRefused) {
        std::vector<UniqueFd> many;
        for (int i = 0; i < 600; i++)
                many.push_back(connect(kAnna));
        EXPECT_EQ(clients_.size(), 468U) << "half of a thousand less those for newcomers";
        EXPECT_EQ(clients_.refused(), 132U);
        char byte = 0;
        EXPECT_EQ(::recv(many.back().get(), &byte, 1, 0), 0) << "told by the end of the stream";
        const auto other = connect(kBert);
        ask(other, "o");
        run_for(milliseconds{20});
        EXPECT_EQ(handled_.size(), 1U);
}

}  // namespace
}  // namespace governor::server
