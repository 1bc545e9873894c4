// SPDX-License-Identifier: MIT
// Sockets that are hard to close, and threads that do not wait for it.
#include "server/kernel/closer.hpp"

#include "support/descriptor_limit.hpp"
#include "support/lingering.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <thread>

namespace governor::server {
namespace {

using policy::Account;
using test_support::Lingering;

std::atomic<int> rings = 0;

struct Ends {
        UniqueFd ours;
        UniqueFd theirs;
};

Ends connected() {
        int ends[2] = {-1, -1};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

class CloserTest : public testing::Test {
protected:
        /// A client's socket with `count` descriptors that nobody has received.
        UniqueFd socket_with(std::size_t count) {
                auto [ours, theirs] = connected();
                std::vector<int> fds;
                while (fds.size() < count)
                        fds.push_back(lingering_.make());
                EXPECT_TRUE(test_support::send_away(theirs.get(), "x", fds));
                return std::move(ours);
        }

        /// Long before any of them would be closed by itself.
        [[nodiscard]] bool closes_all() const {
                for (int i = 0; i < 2000 && closer_.pending() > 0; i++)
                        std::this_thread::sleep_for(std::chrono::milliseconds{10});
                return closer_.pending() == 0;
        }

        Lingering lingering_;
        Closer closer_;
};

TEST_F(CloserTest, TellsTheOtherEndAtOnce) {
        auto [ours, theirs] = connected();
        closer_.close(std::move(ours), Account{1000});
        char byte = 0;
        EXPECT_EQ(::recv(theirs.get(), &byte, 1, MSG_DONTWAIT), 0);
        EXPECT_TRUE(closes_all());
}

TEST_F(CloserTest, EndsTheWaitForASocketThatLingers) {
        closer_.close(socket_with(1), Account{1000});
        EXPECT_TRUE(closes_all());
}

TEST_F(CloserTest, EndsTheWaitForAsManyAsAMessageCanBring) {
        constexpr std::size_t kMost = 253;  // SCM_MAX_FD
        closer_.close(socket_with(kMost), Account{1000});
        EXPECT_TRUE(closes_all());
}

TEST_F(CloserTest, ClosesForManyAccounts) {
        for (std::uint32_t uid = 0; uid < 3 * Closer::kMostThreads; uid++)
                closer_.close(socket_with(1), Account{uid});
        EXPECT_TRUE(closes_all());
}

// Each ring costs more than a close, most of all on an emulated machine. A user that came and went
// there kept 20,000 sockets waiting, and nobody was let in.
TEST_F(CloserTest, RingsForNoneOfManyThatCloseAtOnce) {
        constexpr int kMany = 8000;
        if (!test_support::may_have_descriptors(kMany + 100))
                GTEST_SKIP() << kMany << " open files are needed";
        std::signal(SIGURG, [](int) { rings++; });  // after the closer's own
        std::vector<UniqueFd> sockets;
        for (int i = 0; i < kMany; i++)
                sockets.push_back(connected().ours);
        for (auto& socket : sockets)
                closer_.close(std::move(socket), Account{1000});
        EXPECT_TRUE(closes_all());
        EXPECT_LT(rings, kMany / 10);  // where the machine is busy it may ring for some
}

TEST_F(CloserTest, MayGoWhileAThreadStillWaits) {
        auto closer = std::make_unique<Closer>();
        for (std::uint32_t uid = 0; uid < 8; uid++)
                closer->close(socket_with(10), Account{uid});
        closer.reset();
}

}  // namespace
}  // namespace governor::server
