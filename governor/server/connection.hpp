// SPDX-License-Identifier: MIT
//
// One client's stream: bytes in, messages to a handler, replies out. Never blocks and holds a
// bounded number of bytes, whatever the client does.
#pragma once

#include "server/unique_fd.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace governor::server {

/// Serialized Request in, serialized Reply out (both without length); empty: not a Request.
using MessageHandler = std::function<std::optional<std::string>(std::string_view)>;

class Connection {
public:
        enum class State : std::uint8_t {
                Open,
                Closed,  ///< the client went, or has sent its last message and got its answers
                Bad,     ///< it sent what is no message, an oversized one, or half of one; what it
                         ///< asked before that is answered
        };

        /// `fd` is a connected, non-blocking stream socket.
        Connection(UniqueFd fd, MessageHandler handler)
                : fd_(std::move(fd)), handler_(std::move(handler)) {}

        /// Call it when the socket is ready for one of epoll_events(). Moves what can be moved at
        /// once; after anything but Open the connection is to be dropped.
        [[nodiscard]] State on_ready();

        /// What to wait for: a client that does not read its replies is not read from.
        [[nodiscard]] std::uint32_t epoll_events() const;

        /// What it has cost so far: each read and each message is one unit, and so are 256 bytes
        /// of replies.
        [[nodiscard]] std::uint64_t work() const { return work_; }

        /// It has sent a part of a message, or has not read all of its replies.
        [[nodiscard]] bool is_in_the_middle() const { return !input_.empty() || !output_.empty(); }
        /// Changes whenever a message has become complete or a part of a reply has been taken.
        [[nodiscard]] std::uint64_t progress() const { return progress_; }

        [[nodiscard]] int fd() const { return fd_.get(); }

private:
        [[nodiscard]] State receive();
        [[nodiscard]] bool handle_messages();
        [[nodiscard]] bool send_replies();
        [[nodiscard]] bool has_room() const;
        [[nodiscard]] bool may_read() const;

        UniqueFd fd_;
        MessageHandler handler_;
        std::string input_;   // at most one message and one read
        std::string output_;  // at most kHeldReplies and one reply
        bool input_ended_ = false;
        std::uint64_t work_ = 0;
        std::uint64_t progress_ = 0;
};

}  // namespace governor::server
