// SPDX-License-Identifier: MIT
//
// One client's stream: bytes in, messages to a handler, replies out. Never blocks and holds a
// bounded number of bytes, whatever the client does.
#pragma once

#include "server/kernel/event_loop.hpp"
#include "server/kernel/unique_fd.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace governor::server {

/// A serialized Reply, without its length.
struct Answer {
        Answer(std::string reply = {}) : bytes(std::move(reply)) {}

        std::string bytes;
        /// These go with it (SCM_RIGHTS), once the client has read all that was sent before; they
        /// must stay open as long as the connection.
        std::vector<int> descriptors;
        /// CPU time that it took and that is not the client's to pay for.
        std::chrono::nanoseconds free_of_charge{0};
};

/// Serialized Request in, without its length; empty: not a Request.
using MessageHandler = std::function<std::optional<Answer>(std::string_view)>;

class Connection {
public:
        enum class State : std::uint8_t {
                Open,
                Closed,  ///< the client went, or has sent its last message and got its answers
                Bad,     ///< it sent what is no message, an oversized one, half of one, or
                         ///< descriptors; what it asked before that is answered
        };

        /// `fd` is a connected, non-blocking stream socket. But for the first, no message is begun
        /// later than `turn` after the begin of a turn.
        Connection(UniqueFd fd, MessageHandler handler,
                   std::chrono::milliseconds turn = EventLoop::kTurn);

        /// One turn: to be called when the socket is ready for one of epoll_events(), or when
        /// has_more(). Reads once and answers a few messages. After anything but Open the
        /// connection is to be dropped.
        [[nodiscard]] State on_ready();

        /// A Reply that nobody has asked for, at once or not at all. It goes only while all that
        /// was sent before has been read, so that one at most is ever unread. It may stay unread.
        void tell(const std::string& reply);

        /// A whole message is here already and waits for another turn.
        [[nodiscard]] bool has_more() const { return has_more_; }

        /// The events to wait for: a client that does not read its replies is not read from. With
        /// EPOLLET where the next reply waits until the last ones were read.
        [[nodiscard]] std::uint32_t epoll_events() const;

        /// Its cost so far: each read but that of the end and each message is one unit, and so are
        /// 256 bytes of replies.
        [[nodiscard]] std::uint64_t work() const { return work_; }

        /// CPU time that its messages have taken so far, without what was free of charge.
        [[nodiscard]] std::chrono::nanoseconds cpu_time() const { return cpu_time_; }

        /// Empty if nothing is under way. Otherwise the client has sent a part of a message, or has
        /// not read all of its replies. The value changes when replies move: the socket takes more,
        /// or the client reads. A question whose reply waits here changes nothing. One ioctl.
        [[nodiscard]] std::optional<std::uint64_t> progress() const;

        /// The client says that it sends no more. It has gone as a rule.
        [[nodiscard]] bool input_ended() const { return input_ended_; }

        [[nodiscard]] int fd() const { return fd_.get(); }
        /// The end of the connection: its socket, which may hold descriptors that nobody has
        /// received. See Closer.
        [[nodiscard]] UniqueFd release() { return std::move(fd_); }

private:
        [[nodiscard]] State receive();
        [[nodiscard]] State answer();
        struct Turn {
                unsigned messages;  // that may still be handled
                TimePoint end;
        };
        [[nodiscard]] bool handle_messages(Turn& turn);
        void hold(const Answer& answer);
        [[nodiscard]] bool send_replies();
        [[nodiscard]] ssize_t send_some(std::size_t sent);
        [[nodiscard]] bool must_wait_for_reader(std::size_t sent);
        [[nodiscard]] bool has_room() const;
        [[nodiscard]] bool may_read() const;

        UniqueFd fd_;
        MessageHandler handler_;
        std::chrono::milliseconds turn_;
        std::string input_;   // at most a part of a message and one read
        std::string output_;  // at most kHeldReplies and one reply
        struct Passed {
                std::size_t offset;  // in output_, of the reply's first byte
                std::vector<int> descriptors;
        };
        std::deque<Passed> passed_;
        bool may_bring_descriptors_;
        bool is_passing_ = false;  // descriptors were sent, and may not have been received
        bool waits_for_reader_ = false;
        bool input_ended_ = false;
        bool has_more_ = false;
        int untouched_ = 0;  // what a reply that nobody has asked for takes while it is unread
        std::uint64_t work_ = 0;
        std::chrono::nanoseconds cpu_time_{0};
        std::uint64_t progress_ = 0;  // turns in which the socket has taken something
};

}  // namespace governor::server
