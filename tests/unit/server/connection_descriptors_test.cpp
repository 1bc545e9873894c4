// SPDX-License-Identifier: MIT
// Replies that bring descriptors: each with its own, none lost, none left open.
#include "server/connections/connection.hpp"

#include <array>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <governor/v1/frame.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

namespace governor::server {
namespace {

std::string framed(const std::string& message) {
        std::array<std::uint8_t, GOVERNOR_PREFIX_MAX> prefix{};
        const auto size = governor_frame_prefix(message.size(), prefix.data());
        return std::string(reinterpret_cast<const char*>(prefix.data()), size) + message;
}

UniqueFd file_that_says(const std::string& text) {
        UniqueFd file(::memfd_create("test", MFD_CLOEXEC));
        EXPECT_EQ(::pwrite(file.get(), text.data(), text.size(), 0),
                  static_cast<ssize_t>(text.size()));
        return file;
}

std::string said_by(const UniqueFd& file) {
        std::array<char, 64> text{};
        const auto n = ::pread(file.get(), text.data(), text.size(), 0);
        return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
}

std::size_t open_descriptors() {
        std::size_t n = 0;
        DIR* directory = ::opendir("/proc/self/fd");
        while (::readdir(directory) != nullptr)
                n++;
        ::closedir(directory);
        return n;
}

/// Answers a message of the form "welcome N" by N bytes and the two descriptors, others by "re:".
class ConnectionDescriptors : public testing::Test {
protected:
        ConnectionDescriptors()
                : grants_(file_that_says("grants")), reports_(file_that_says("reports")) {
                int ends[2] = {-1, -1};
                EXPECT_EQ(
                        ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends),
                        0);
                client_ = UniqueFd(ends[1]);
                const int small = 1;  // the kernel makes it its least
                ::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
                connection_.emplace(
                        UniqueFd(ends[0]),
                        [this](std::string_view message) { return answer(message); },
                        std::chrono::hours{1});  // on a busy machine, too
        }

        Answer answer(std::string_view message) const {
                if (!message.starts_with("welcome "))
                        return "re:" + std::string(message);
                Answer answer(std::string(std::stoul(std::string(message.substr(8))), 'w'));
                answer.descriptors = {grants_.get(), reports_.get()};
                return answer;
        }
        void ask(const std::string& message) const {
                const auto bytes = framed(message);
                ASSERT_EQ(::send(client_.get(), bytes.data(), bytes.size(), 0),
                          static_cast<ssize_t>(bytes.size()));
        }
        [[nodiscard]] Connection::State turn() { return connection_->on_ready(); }

        /// One recvmsg of at most `most` bytes; false: nothing there.
        bool receive(std::size_t most) {
                std::string bytes(most, '\0');
                iovec place{bytes.data(), bytes.size()};
                alignas(cmsghdr) std::array<char, CMSG_SPACE(8 * sizeof(int))> control{};
                msghdr message{};
                message.msg_iov = &place;
                message.msg_iovlen = 1;
                message.msg_control = control.data();
                message.msg_controllen = control.size();
                const auto n = ::recvmsg(client_.get(), &message, MSG_CMSG_CLOEXEC);
                if (n <= 0)
                        return false;
                EXPECT_EQ(message.msg_flags & MSG_CTRUNC, 0);
                if (const auto* header = CMSG_FIRSTHDR(&message); header != nullptr) {
                        const auto count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
                        std::array<int, 8> numbers{};
                        std::memcpy(numbers.data(), CMSG_DATA(header), count * sizeof(int));
                        came_at_.push_back(received_.size());
                        for (std::size_t i = 0; i < count; i++)
                                came_.emplace_back(numbers.at(i));
                }
                received_.append(bytes, 0, static_cast<std::size_t>(n));
                return true;
        }
        /// Goes on until all that was asked is answered and read, `most` bytes at a time.
        void read_all(std::size_t most) {
                for (bool more = true; more;) {
                        EXPECT_EQ(turn(), Connection::State::Open);
                        more = receive(most) || connection_->has_more() ||
                               (connection_->epoll_events() & EPOLLOUT) != 0;
                }
        }

        UniqueFd grants_;
        UniqueFd reports_;
        UniqueFd client_;
        std::optional<Connection> connection_;
        std::string received_;
        std::vector<UniqueFd> came_;
        std::vector<std::size_t> came_at_;  // how much was received before
};

TEST_F(ConnectionDescriptors, ComeWithTheirReply) {
        ask("welcome 2");
        read_all(4096);
        EXPECT_EQ(received_, framed("ww"));
        ASSERT_EQ(came_.size(), 2U);
        EXPECT_EQ(said_by(came_[0]), "grants");
        EXPECT_EQ(said_by(came_[1]), "reports");
}

TEST_F(ConnectionDescriptors, ComeWithTheirReplyAlsoBetweenOthers) {
        for (const auto* message : {"a", "welcome 3", "b", "welcome 4", "welcome 5", "c"})
                ask(message);
        EXPECT_EQ(turn(), Connection::State::Open);
        read_all(4096);
        EXPECT_EQ(received_, framed("re:a") + framed("www") + framed("re:b") + framed("wwww") +
                                     framed("wwwww") + framed("re:c"));
        EXPECT_EQ(came_.size(), 6U);
        // The kernel ends a read before the next descriptors: each comes at its reply's first byte
        // or, at the front of a read, behind what needs none.
        ASSERT_EQ(came_at_.size(), 3U);
        EXPECT_LE(came_at_[0], 5U);
        EXPECT_GT(came_at_[1], 5U);
        EXPECT_LE(came_at_[1], 14U);
        EXPECT_GT(came_at_[2], 14U);
        EXPECT_LE(came_at_[2], 19U);
}

TEST_F(ConnectionDescriptors, ComeOnceHoweverSlowlyTheRepliesAreRead) {
        constexpr int kWelcomes = 6;
        std::string expected;
        for (int i = 0; i < kWelcomes; i++) {
                ask("welcome 9000");  // more than the socket takes at once
                expected += framed(std::string(9000, 'w'));
        }
        read_all(700);
        EXPECT_EQ(received_, expected);
        ASSERT_EQ(came_.size(), 2U * kWelcomes);
        for (std::size_t i = 0; i < came_at_.size(); i++)
                EXPECT_EQ(came_at_[i] / framed(std::string(9000, 'w')).size(), i);
        for (std::size_t i = 0; i < came_.size(); i++)
                EXPECT_EQ(said_by(came_[i]), i % 2 == 0 ? "grants" : "reports");
}

TEST_F(ConnectionDescriptors, AreNotSentBeforeThoseOfTheLastReplyWereReceived) {
        const auto lies_there = [this] {
                int bytes = 0;
                ::ioctl(client_.get(), FIONREAD, &bytes);
                return static_cast<std::size_t>(bytes);
        };
        for (const auto* message : {"a", "welcome 3", "b", "welcome 4", "c", "welcome 5"})
                ask(message);
        const auto first = framed("re:a") + framed("www") + framed("re:b");
        const auto second = framed("wwww") + framed("re:c");
        for (int i = 0; i < 3; i++) {
                EXPECT_EQ(turn(), Connection::State::Open);
                EXPECT_EQ(lies_there(), first.size());
                EXPECT_EQ(connection_->epoll_events(), EPOLLOUT | EPOLLET);
        }
        while (received_.size() < first.size())
                ASSERT_TRUE(receive(4096));
        EXPECT_EQ(turn(), Connection::State::Open);
        EXPECT_EQ(lies_there(), second.size());
        while (received_.size() < first.size() + second.size())
                ASSERT_TRUE(receive(4096));
        EXPECT_EQ(turn(), Connection::State::Open);
        EXPECT_EQ(connection_->epoll_events(), std::uint32_t{EPOLLIN});
        EXPECT_TRUE(receive(4096));
        EXPECT_EQ(received_, first + second + framed("wwwww"));
        EXPECT_EQ(came_.size(), 6U);
}

TEST_F(ConnectionDescriptors, ThatWaitForAReaderWhoGoesAreLeft) {
        ask("welcome 3");
        ask("welcome 4");
        EXPECT_EQ(turn(), Connection::State::Open);
        client_ = UniqueFd();
        EXPECT_EQ(turn(), Connection::State::Closed);
}

TEST_F(ConnectionDescriptors, AreNotLeftOpen) {
        const auto before = open_descriptors();
        for (int i = 0; i < 50; i++) {
                ask("welcome 10");
                read_all(4096);
                came_.clear();
        }
        EXPECT_EQ(open_descriptors(), before);
        ask("welcome 10");
        EXPECT_EQ(turn(), Connection::State::Open);  // sent, and never read
        client_ = UniqueFd();
        EXPECT_EQ(turn(), Connection::State::Closed);
        connection_.reset();
        EXPECT_EQ(open_descriptors(), before - 2);
        EXPECT_EQ(said_by(grants_), "grants") << "the daemon's own stay open";
}

}  // namespace
}  // namespace governor::server
