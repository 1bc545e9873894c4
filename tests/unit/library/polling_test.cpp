// SPDX-License-Identifier: MIT
// The times at which the library asks a governor behind TCP, and its conduct towards one that it
// cannot reach. The times are made up; a wait in earnest lasts 5 ms at most.
#include "polling.hpp"

#include "clock.hpp"
#include "library/messages.hpp"
#include "support/tcp_port.hpp"

#include <cerrno>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace threadcount {
namespace {

using test_support::TcpPort;

class PollingOverTcp : public ::testing::Test {
protected:
        [[nodiscard]] std::string peer() const {
                char text[kAddressText] = "nobody";
                if (polling_.peer() != nullptr)
                        describe(*polling_.peer(), text);
                return text;
        }
        /// Takes the next connection and answers its question, whatever it is.
        [[nodiscard]] int accept_and_answer(std::uint32_t threads) const {
                const timeval patience{20, 0};
                setsockopt(port_.fd(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
                const int fd = accept4(port_.fd(), nullptr, nullptr, SOCK_CLOEXEC);
                char question[64];
                EXPECT_GT(recv(fd, question, sizeof(question), 0), 0);
                const auto answer = framed(advice(threads, governor_v1_Advice_Reason_FREE_CPUS));
                EXPECT_EQ(send(fd, answer.data(), answer.size(), MSG_NOSIGNAL),
                          static_cast<ssize_t>(answer.size()));
                return fd;
        }
        /// Asks (on a busy machine more than once: connecting in time is not certain) until a
        /// question is on its way; returns when that was.
        std::uint64_t ask(std::uint64_t now_ms) {
                for (int i = 0; i < 20; i++) {
                        const auto next_ms = polling_.run(now_ms);
                        if (next_ms == now_ms + 4)
                                return now_ms;
                        now_ms = next_ms;
                }
                ADD_FAILURE() << "nobody to ask: " << polling_.error();
                return now_ms;
        }
        /// Looks for a late answer until there is one; returns when to ask again.
        std::uint64_t collect(std::uint64_t now_ms) {
                for (int i = 0; i < 20'000; i++) {
                        const auto next_ms = polling_.run(now_ms);
                        if (polling_.last_answer() != nullptr)
                                return next_ms;
                        usleep(1000);
                }
                return 0;
        }

        TcpPort port_;
        Addresses addresses_{port_.address().c_str(), nullptr};
        Transport transport_;
        GrownCount count_{8};
        Polling polling_{addresses_, {8, 50, false}, transport_, count_};
};

TEST_F(PollingOverTcp, TakesARefusedPortForNoGovernorAndTriesOncePerSecond) {
        EXPECT_EQ(peer(), "nobody");
        EXPECT_EQ(polling_.run(10'000), 11'000U);
        EXPECT_EQ(polling_.error(), -ECONNREFUSED);
        EXPECT_EQ(count_.threads(), 8U);
        EXPECT_EQ(peer(), port_.address());
}

TEST_F(PollingOverTcp, GivesUpAConnectionThatIsNotThereInTime) {
        port_.listen(0);
        Transport others[8];
        int result = 0;
        for (auto& other : others)
                if (result == 0)
                        result = other.connect(addresses_, now_ns() + 5'000'000);
        ASSERT_EQ(result, -ETIMEDOUT) << "the backlog is full";
        EXPECT_EQ(polling_.run(10'000), 11'000U);
        EXPECT_EQ(polling_.error(), -ETIMEDOUT);
        EXPECT_EQ(count_.threads(), 8U) << "nobody has accepted: no waiting at one thread";
        EXPECT_EQ(peer(), port_.address());
}

TEST_F(PollingOverTcp, FollowsAGovernorThatAppears) {
        (void)polling_.run(10'000);
        ASSERT_EQ(polling_.error(), -ECONNREFUSED);
        port_.listen();
        const auto asked_ms = ask(11'000);
        const int fd = accept_and_answer(3);
        EXPECT_EQ(collect(asked_ms + 4), asked_ms + 54);
        EXPECT_EQ(polling_.error(), 0);
        close(fd);
}

TEST_F(PollingOverTcp, ConnectsAgainToAGovernorThatWasMuteAndTakesItsLateAnswer) {
        port_.listen();
        const auto asked_ms = ask(10'000);
        EXPECT_EQ(polling_.run(asked_ms + 1000), asked_ms + 2000) << "given up";
        EXPECT_EQ(polling_.error(), -ETIMEDOUT);
        EXPECT_EQ(count_.threads(), 8U);
        close(accept4(port_.fd(), nullptr, nullptr, SOCK_CLOEXEC));
        const auto again_ms = ask(asked_ms + 2000);
        const int fd = accept_and_answer(3);
        EXPECT_EQ(collect(again_ms + 4), again_ms + 54);
        EXPECT_EQ(polling_.error(), 0);
        close(fd);
}

TEST_F(PollingOverTcp, AsksOnANewConnectionWhenTheGovernorWasStartedAgain) {
        port_.listen();
        const auto asked_ms = ask(10'000);
        const int first = accept_and_answer(3);
        ASSERT_EQ(collect(asked_ms + 4), asked_ms + 54);
        close(first);
        (void)ask(asked_ms + 54);
        close(accept_and_answer(5));
}

}  // namespace
}  // namespace threadcount
