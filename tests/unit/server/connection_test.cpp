// SPDX-License-Identifier: MIT
// One client's stream, with every kind of client at its other end.
#include "server/connections/connection.hpp"

#include "support/lingering.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <governor/v1/frame.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <memory>
#include <sys/epoll.h>
#include <sys/socket.h>

extern "C" std::size_t __sanitizer_get_current_allocated_bytes() __attribute__((weak));

namespace governor::server {
namespace {

using State = Connection::State;

std::string framed(const std::string& message) {
        std::array<std::uint8_t, GOVERNOR_PREFIX_MAX> prefix{};
        const auto size = governor_frame_prefix(message.size(), prefix.data());
        return std::string(reinterpret_cast<const char*>(prefix.data()), size) + message;
}

/// The payloads of whole messages in `stream`; what is left behind them stays in it.
std::vector<std::string> take_messages(std::string& stream) {
        std::vector<std::string> messages;
        for (std::size_t begin = 0, end = 0;
             governor_frame_parse(reinterpret_cast<const std::uint8_t*>(stream.data()),
                                  stream.size(), GOVERNOR_REPLY_MAX, &begin,
                                  &end) == GOVERNOR_FRAME_COMPLETE;
             stream.erase(0, end))
                messages.push_back(stream.substr(begin, end - begin));
        return messages;
}

class ConnectionTest : public ::testing::Test {
protected:
        ConnectionTest() {
                int ends[2] = {-1, -1};
                EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends),
                          0);
                client_ = UniqueFd(ends[1]);
                connection_ = std::make_unique<Connection>(
                        UniqueFd(ends[0]),
                        [this](std::string_view message) {
                                handled_.emplace_back(message);
                                return handler_(handled_.back());
                        },
                        std::chrono::hours{1});  // on a busy machine, too
        }

        /// Sends what the socket takes; returns the bytes sent.
        std::size_t send(std::string_view bytes) {
                const auto n = ::send(client_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
                return n > 0 ? static_cast<std::size_t>(n) : 0;
        }
        void close_client() { client_ = UniqueFd(); }

        /// All that has arrived at the client.
        std::string receive() {
                std::string bytes;
                std::array<char, 16384> chunk{};
                for (ssize_t n; (n = ::recv(client_.get(), chunk.data(), chunk.size(), 0)) > 0;)
                        bytes.append(chunk.data(), static_cast<std::size_t>(n));
                return bytes;
        }
        std::vector<std::string> replies() {
                auto bytes = receive();
                auto messages = take_messages(bytes);
                EXPECT_TRUE(bytes.empty()) << "half a reply";
                return messages;
        }
        [[nodiscard]] bool reads() const { return (connection_->epoll_events() & EPOLLIN) != 0; }
        [[nodiscard]] bool writes() const { return (connection_->epoll_events() & EPOLLOUT) != 0; }

        std::function<std::optional<std::string>(const std::string&)> handler_ =
                [](const std::string& message) { return "re:" + message; };
        std::vector<std::string> handled_;
        UniqueFd client_;
        std::unique_ptr<Connection> connection_;
};

using Strings = std::vector<std::string>;

TEST_F(ConnectionTest, AnswersAMessage) {
        EXPECT_TRUE(reads());
        EXPECT_FALSE(writes());
        send(framed("hello"));
        EXPECT_EQ(connection_->on_ready(), State::Open);
        EXPECT_EQ(replies(), (Strings{"re:hello"}));
        EXPECT_TRUE(reads());
        EXPECT_FALSE(writes());
}

TEST_F(ConnectionTest, StaysOpenWhenItIsWokenForNothing) {
        EXPECT_EQ(connection_->on_ready(), State::Open);
        EXPECT_TRUE(handled_.empty());
        EXPECT_EQ(receive(), "");
}

TEST_F(ConnectionTest, PutsTogetherAMessageThatComesByteByByte) {
        const auto bytes = framed("hello") + framed(std::string(200, 'x'));
        for (std::size_t i = 0; i < bytes.size(); i++) {
                send(bytes.substr(i, 1));
                ASSERT_EQ(connection_->on_ready(), State::Open);
                ASSERT_EQ(handled_.size(), i + 1 == bytes.size() ? 2U : i >= 5 ? 1U : 0U) << i;
        }
        EXPECT_EQ(replies(), (Strings{"re:hello", "re:" + std::string(200, 'x')}));
}

TEST_F(ConnectionTest, AnswersSeveralMessagesOfOneWriteInOrder) {
        send(framed("a") + framed("") + framed("bc") + framed("d").substr(0, 1));
        EXPECT_EQ(connection_->on_ready(), State::Open);
        EXPECT_EQ(replies(), (Strings{"re:a", "re:", "re:bc"}));
        send("d");
        EXPECT_EQ(connection_->on_ready(), State::Open);
        EXPECT_EQ(replies(), (Strings{"re:d"}));
}

TEST_F(ConnectionTest, AnswersAFewMessagesPerTurnAndKeepsTheOthers) {
        std::string many;
        for (int i = 0; i < 40; i++)
                many += framed(std::to_string(i));
        send(many + framed("half").substr(0, 2));
        std::vector<std::size_t> turns;
        do {
                const auto before = handled_.size();
                ASSERT_EQ(connection_->on_ready(), State::Open);
                turns.push_back(handled_.size() - before);
        } while (connection_->has_more());
        EXPECT_EQ(turns, (std::vector<std::size_t>{16, 16, 8}));
        EXPECT_EQ(replies().size(), 40U);
        EXPECT_TRUE(reads());
}

TEST_F(ConnectionTest, AnswersWhatCameBeforeTheEndInAsManyTurnsAsItTakes) {
        std::string many;
        for (int i = 0; i < 40; i++)
                many += framed(std::to_string(i));
        send(many);
        shutdown(client_.get(), SHUT_WR);
        auto state = State::Open;
        for (int turn = 0; turn < 10 && state == State::Open; turn++)
                state = connection_->on_ready();
        EXPECT_EQ(state, State::Closed);
        EXPECT_EQ(replies().size(), 40U);
}

TEST_F(ConnectionTest, AnswersWhatCameBeforeRubbish) {
        send(framed("hello") + "\xff\xff\xff\xff");
        EXPECT_EQ(connection_->on_ready(), State::Bad);
        EXPECT_EQ(replies(), (Strings{"re:hello"}));
}

TEST_F(ConnectionTest, KnowsWhetherSomethingIsUnderWay) {
        EXPECT_FALSE(connection_->progress());
        send(framed("hello").substr(0, 3));
        EXPECT_EQ(connection_->on_ready(), State::Open);
        const auto half = connection_->progress();
        EXPECT_TRUE(half);
        send(framed("hello").substr(3));
        EXPECT_EQ(connection_->on_ready(), State::Open);
        const auto unread = connection_->progress();
        EXPECT_TRUE(unread) << "its reply waits in the kernel";
        EXPECT_NE(unread, half);
        EXPECT_EQ(replies().size(), 1U);
        EXPECT_FALSE(connection_->progress());
}

TEST_F(ConnectionTest, TellsWhatNobodyHasAskedForWhichMayStayUnread) {
        connection_->tell("news");
        EXPECT_FALSE(connection_->progress());
        EXPECT_FALSE(writes());
        connection_->tell("more");
        EXPECT_EQ(replies(), (Strings{"news"})) << "one at a time";
        connection_->tell("more");
        EXPECT_EQ(replies(), (Strings{"more"}));
        connection_->tell("unread");
        send(framed("hello"));
        EXPECT_EQ(connection_->on_ready(), State::Open);
        EXPECT_TRUE(connection_->progress()) << "an answer may not";
        EXPECT_EQ(replies(), (Strings{"unread", "re:hello"}));
        EXPECT_FALSE(connection_->progress());
}

TEST_F(ConnectionTest, TellsNothingBeforeAnAnswerIsReadNorAfterTheEnd) {
        send(framed("hello"));
        EXPECT_EQ(connection_->on_ready(), State::Open);
        connection_->tell("news");
        EXPECT_EQ(replies(), (Strings{"re:hello"}));
        close_client();
        connection_->tell("news");
        EXPECT_EQ(connection_->on_ready(), State::Closed);
}

TEST_F(ConnectionTest, CostsWhatItMakesUsDo) {
        handler_ = [](const std::string& message) {
                return std::string(message.size() * 100, 'r');
        };
        EXPECT_EQ(connection_->on_ready(), State::Open);
        EXPECT_EQ(connection_->work(), 1U) << "an urgent byte wakes us, and is dropped";
        send(framed("a") + framed("b"));
        EXPECT_EQ(connection_->on_ready(), State::Open);
        EXPECT_EQ(connection_->work(), 4U);
        send(framed("0123456789"));
        EXPECT_EQ(connection_->on_ready(), State::Open);
        EXPECT_EQ(connection_->work(), 9U);
}

TEST_F(ConnectionTest, TakesTheLongestMessage) {
        const auto bytes = framed(std::string(GOVERNOR_REQUEST_MAX, 'm'));
        handler_ = [](const std::string& message) { return std::to_string(message.size()); };
        for (std::size_t sent = 0; sent < bytes.size();) {
                sent += send(std::string_view(bytes).substr(sent, 1000));
                ASSERT_EQ(connection_->on_ready(), State::Open);
                ASSERT_EQ(handled_.size(), sent == bytes.size() ? 1U : 0U);
        }
        EXPECT_EQ(replies(), (Strings{"4096"}));
}

TEST_F(ConnectionTest, SendsTheLongestReplyAndRefusesALongerOne) {
        handler_ = [](const std::string& message) {
                return std::string(GOVERNOR_REPLY_MAX + (message == "more" ? 1 : 0), 'r');
        };
        send(framed("most"));
        EXPECT_EQ(connection_->on_ready(), State::Open);
        std::string bytes;
        for (int i = 0; i < 100 && bytes.size() < GOVERNOR_REPLY_MAX + 3; i++) {
                bytes += receive();
                EXPECT_EQ(connection_->on_ready(), State::Open);
        }
        EXPECT_EQ(take_messages(bytes), (Strings{std::string(GOVERNOR_REPLY_MAX, 'r')}));
        send(framed("more"));
        EXPECT_EQ(connection_->on_ready(), State::Bad);
}

TEST_F(ConnectionTest, RefusesAnOversizedLengthBeforeTheMessageArrives) {
        send(framed(std::string(GOVERNOR_REQUEST_MAX + 1, 'x')).substr(0, 2));
        EXPECT_EQ(connection_->on_ready(), State::Bad);
        EXPECT_TRUE(handled_.empty());
}

TEST_F(ConnectionTest, RefusesALengthThatDoesNotEnd) {
        send("\xff\xff\xff\xff\xff");
        EXPECT_EQ(connection_->on_ready(), State::Bad);
        EXPECT_TRUE(handled_.empty());
}

TEST_F(ConnectionTest, IsClosedWhenTheClientGoesBetweenMessages) {
        send(framed("hello"));
        EXPECT_EQ(connection_->on_ready(), State::Open);
        close_client();
        EXPECT_EQ(connection_->on_ready(), State::Closed);
        EXPECT_EQ(handled_.size(), 1U);
}

TEST_F(ConnectionTest, IsBadWhenTheClientGoesInsideAMessage) {
        send(framed("hello").substr(0, 3));
        EXPECT_EQ(connection_->on_ready(), State::Open);
        ASSERT_EQ(shutdown(client_.get(), SHUT_WR), 0);
        EXPECT_EQ(connection_->on_ready(), State::Bad);
        EXPECT_TRUE(handled_.empty());
}

TEST_F(ConnectionTest, AnswersAClientThatSendsNoMoreButStillReads) {
        send(framed("last"));
        ASSERT_EQ(shutdown(client_.get(), SHUT_WR), 0);
        EXPECT_EQ(connection_->on_ready(), State::Open);
        EXPECT_EQ(replies(), (Strings{"re:last"}));
        EXPECT_EQ(connection_->on_ready(), State::Closed);
}

TEST_F(ConnectionTest, EndsWithoutASignalWhenTheClientDoesNotWaitForItsReply) {
        send(framed("hello"));
        close_client();
        EXPECT_EQ(connection_->on_ready(), State::Closed);
}

TEST_F(ConnectionTest, IsBadWhenTheHandlerRefusesAMessage) {
        handler_ = [](const std::string& message) {
                return message == "no" ? std::nullopt : std::optional(message);
        };
        send(framed("yes"));
        EXPECT_EQ(connection_->on_ready(), State::Open);
        EXPECT_EQ(replies(), (Strings{"yes"}));
        send(framed("no") + framed("yes"));
        EXPECT_EQ(connection_->on_ready(), State::Bad);
        EXPECT_EQ(handled_, (Strings{"yes", "no"}));
}

/// The bytes that the heap has given out, that of a sanitizer where there is one.
std::size_t heap_in_use() {
        return __sanitizer_get_current_allocated_bytes != nullptr
                       ? __sanitizer_get_current_allocated_bytes()
                       : mallinfo2().uordblks;
}

/// A client that asks for large replies and does not read them.
class GreedyClient : public ConnectionTest {
protected:
        static constexpr std::size_t kReply = 60'000;
        static constexpr std::size_t kQuestions = 300;

        GreedyClient() {
                const int small = 8192;
                setsockopt(connection_->fd(), SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
                handler_ = [](const std::string& message) {
                        return message + std::string(kReply, '.');
                };
                for (std::size_t i = 0; i < kQuestions; i++)
                        unsent_ += framed(std::to_string(i));
        }

        /// Asks once, and reads a little of the reply at a time until less than a message waits.
        void read_most_of_a_reply() {
                send(framed("most"));
                ASSERT_EQ(connection_->on_ready(), State::Open);
                std::array<char, 1000> chunk{};
                for (int round = 0; round < 1000 && !reads(); round++) {
                        ASSERT_GT(::recv(client_.get(), chunk.data(), chunk.size(), 0), 0);
                        ASSERT_EQ(connection_->on_ready(), State::Open);
                }
                ASSERT_TRUE(reads());
                ASSERT_TRUE(writes()) << "some of it waits";
        }

        /// Sends what the socket takes and wakes the connection, as often as something moves.
        void push() {
                for (std::size_t idle = 0; idle < 3; idle++) {
                        if (const auto sent = send(unsent_); sent > 0) {
                                unsent_.erase(0, sent);
                                idle = 0;
                        }
                        const auto before = handled_.size();
                        ASSERT_EQ(connection_->on_ready(), State::Open);
                        if (handled_.size() > before)
                                idle = 0;
                }
        }

        std::string unsent_;
};

TEST_F(GreedyClient, IsNotReadFromUntilItReads) {
        push();
        EXPECT_FALSE(reads());
        EXPECT_TRUE(writes());
        // One message's worth of replies waits here, one reply may go beyond it, and the
        // socket holds some; far from 300 replies.
        EXPECT_GE(handled_.size(), 1U);
        EXPECT_LE(handled_.size(), 10U);
}

TEST_F(GreedyClient, StaysBoundedWhateverItSends) {
        push();
        const auto handled = handled_.size();
        for (int i = 0; i < 1000; i++) {
                send(framed("more"));
                ASSERT_EQ(connection_->on_ready(), State::Open);
        }
        EXPECT_EQ(handled_.size(), handled);
}

TEST_F(GreedyClient, GetsEveryReplyInOrderOnceItReads) {
        push();
        std::string stream;
        std::size_t next = 0;
        for (int round = 0; round < 100'000 && next < kQuestions; round++) {
                stream += receive();
                for (const auto& reply : take_messages(stream))
                        ASSERT_EQ(reply, std::to_string(next++) + std::string(kReply, '.'));
                push();
                ASSERT_FALSE(HasFatalFailure());
        }
        EXPECT_EQ(next, kQuestions);
        EXPECT_TRUE(stream.empty());
        EXPECT_TRUE(reads());
        EXPECT_FALSE(writes());
}

TEST_F(GreedyClient, GetsEveryReplyAlsoWhenItHasSaidThatItSendsNoMore) {
        constexpr std::size_t kFew = 20;
        for (std::size_t i = 0; i < kFew; i++)
                send(framed(std::to_string(i)));
        shutdown(client_.get(), SHUT_WR);
        std::string stream;
        std::size_t received = 0;
        auto state = State::Open;
        for (int round = 0; round < 100'000 && state == State::Open; round++) {
                state = connection_->on_ready();
                stream += receive();
                received += take_messages(stream).size();
        }
        EXPECT_EQ(state, State::Closed);
        EXPECT_EQ(received, kFew);
}

TEST_F(GreedyClient, IsReadFromAgainWhenLessThanAMessageWaits) {
        send(framed("0") + framed("1") + framed("2"));
        ASSERT_EQ(connection_->on_ready(), State::Open);
        ASSERT_FALSE(reads());
        std::size_t received = 0;
        for (int round = 0; round < 1000 && !reads(); round++) {
                received += receive().size();
                ASSERT_EQ(connection_->on_ready(), State::Open);
        }
        EXPECT_TRUE(reads());
        EXPECT_EQ(handled_.size(), 3U);
        EXPECT_GT(received, 3 * kReply - GOVERNOR_REPLY_MAX - kReply);
}

TEST_F(GreedyClient, HoldsNoMoreThanWhatItHasStillToRead) {
        handled_.reserve(10);
        const auto before = heap_in_use();
        read_most_of_a_reply();
        EXPECT_LE(heap_in_use(), before + GOVERNOR_REQUEST_MAX);
}

TEST_F(GreedyClient, MakesNoProgressByAskingForMore) {
        read_most_of_a_reply();
        handler_ = [](const std::string& message) { return message; };
        const auto progress = connection_->progress();
        ASSERT_TRUE(progress);
        send(framed("more"));
        EXPECT_EQ(connection_->on_ready(), State::Open);
        EXPECT_EQ(handled_.back(), "more");
        EXPECT_EQ(connection_->progress(), progress);
        (void)receive();
        EXPECT_NE(connection_->progress(), progress) << "it reads";
}

/// Reading a message would close what the client sends with it, for as long as the client likes.
class ConnectionWithDescriptors : public ConnectionTest {
protected:
        bool send_lingering(std::string_view bytes, std::size_t count = 1, int flags = 0) {
                std::vector<int> fds;
                while (fds.size() < count)
                        fds.push_back(lingering_.make());
                return test_support::send_away(client_.get(), bytes, fds, flags);
        }
        [[nodiscard]] bool has_taken_nothing() const {
                char byte = 0;
                return ::recv(connection_->fd(), &byte, 1, MSG_PEEK) == 1;
        }

        test_support::Lingering lingering_;
};

TEST_F(ConnectionWithDescriptors, AMessageThatBringsOneIsNotReadAndEndsTheConnection) {
        ASSERT_TRUE(send_lingering(framed("hello")));
        EXPECT_EQ(connection_->on_ready(), State::Bad);
        EXPECT_TRUE(handled_.empty());
        EXPECT_TRUE(has_taken_nothing());
}

TEST_F(ConnectionWithDescriptors, HalfAMessageThatBringsManyIsNotReadEither) {
        ASSERT_TRUE(send_lingering(framed("hello").substr(0, 3), 253));
        EXPECT_EQ(connection_->on_ready(), State::Bad);
        EXPECT_TRUE(has_taken_nothing());
}

TEST_F(ConnectionWithDescriptors, WhatCameBeforeIsNotReadWithThem) {
        ASSERT_EQ(send(framed("one")), framed("one").size());
        ASSERT_TRUE(send_lingering(framed("two")));
        EXPECT_EQ(connection_->on_ready(), State::Bad);
        EXPECT_TRUE(has_taken_nothing());
}

TEST_F(ConnectionWithDescriptors, AnUrgentByteThatBringsOneIsNotDroppedWithIt) {
        if (!send_lingering("!", 1, MSG_OOB))
                GTEST_SKIP() << "no urgent bytes on Unix sockets here";
        ASSERT_EQ(send(framed("hello")), framed("hello").size());
        EXPECT_EQ(connection_->on_ready(), State::Bad);
        EXPECT_TRUE(has_taken_nothing());
}

TEST_F(ConnectionTest, BeginsNoSecondMessageAfterTheEndOfItsTurn) {
        int ends[2] = {-1, -1};
        ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
        client_ = UniqueFd(ends[1]);
        int handled = 0;
        Connection hasty(
                UniqueFd{ends[0]},
                [&handled](std::string_view) {
                        handled++;
                        return std::string();
                },
                std::chrono::milliseconds{0});
        ASSERT_GT(send(framed("one") + framed("two")), 0U);
        EXPECT_EQ(hasty.on_ready(), State::Open);
        EXPECT_EQ(handled, 1) << "or it would never get anywhere";
        EXPECT_TRUE(hasty.has_more());
}

}  // namespace
}  // namespace governor::server
