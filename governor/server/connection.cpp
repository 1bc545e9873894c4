// SPDX-License-Identifier: MIT
// Buffers and framing of one connection.
#include "server/connection.hpp"

#include <array>
#include <cerrno>
#include <governor/v1/frame.h>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace governor::server {

namespace {

constexpr std::size_t kReadSize = 4096;     // bounds the work of one wake-up
constexpr std::size_t kHeldReplies = 4096;  // with more than this unread, nothing is answered
constexpr std::size_t kReplyUnit = 256;

/// An idle connection should cost nothing but its socket.
void release_if_empty(std::string& buffer) {
        if (buffer.empty())
                std::string().swap(buffer);
}

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

bool Connection::has_room() const { return output_.size() < kHeldReplies; }

bool Connection::may_read() const { return has_room() && !input_ended_; }

std::uint32_t Connection::epoll_events() const {
        return (may_read() ? EPOLLIN : 0U) | (output_.empty() ? 0U : EPOLLOUT);
}

Connection::State Connection::on_ready() {
        const auto received = may_read() ? receive() : State::Open;
        if (received != State::Open)
                return received;
        // Sending makes room for replies to messages that are here already.
        for (bool more = true; more;) {
                if (!handle_messages()) {
                        (void)send_replies();
                        return State::Bad;
                }
                const bool was_full = !has_room();
                if (!send_replies())
                        return State::Closed;
                more = was_full && has_room();
        }
        if (input_ended_ && output_.empty())
                return input_.empty() ? State::Closed : State::Bad;
        release_if_empty(input_);
        release_if_empty(output_);
        return State::Open;
}

Connection::State Connection::receive() {
        std::array<char, kReadSize> chunk;
        const auto n = ::recv(fd_.get(), chunk.data(), chunk.size(), MSG_DONTWAIT);
        work_++;
        if (n > 0)
                input_.append(chunk.data(), static_cast<std::size_t>(n));
        else if (n == 0)
                input_ended_ = true;
        else if (!would_block())
                return State::Closed;
        return State::Open;
}

bool Connection::handle_messages() {
        std::size_t done = 0;
        while (has_room()) {
                std::size_t begin = 0;
                std::size_t end = 0;
                const auto rest = std::string_view(input_).substr(done);
                const auto frame =
                        governor_frame_parse(reinterpret_cast<const std::uint8_t*>(rest.data()),
                                             rest.size(), GOVERNOR_REQUEST_MAX, &begin, &end);
                if (frame == GOVERNOR_FRAME_INVALID)
                        return false;
                if (frame == GOVERNOR_FRAME_PARTIAL)
                        break;
                const auto reply = handler_(rest.substr(begin, end - begin));
                if (!reply || reply->size() > GOVERNOR_REPLY_MAX)
                        return false;
                std::array<std::uint8_t, GOVERNOR_PREFIX_MAX> prefix;
                const auto length = governor_frame_prefix(reply->size(), prefix.data());
                output_.append(reinterpret_cast<const char*>(prefix.data()), length);
                output_.append(*reply);
                done += end;
                progress_++;
                work_ += 1 + reply->size() / kReplyUnit;
        }
        input_.erase(0, done);
        return true;
}

bool Connection::send_replies() {
        std::size_t sent = 0;
        while (sent < output_.size()) {
                const auto n = ::send(fd_.get(), output_.data() + sent, output_.size() - sent,
                                      MSG_DONTWAIT | MSG_NOSIGNAL);
                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0 && !would_block())
                        return false;
                if (n < 0)
                        break;
                sent += static_cast<std::size_t>(n);
        }
        output_.erase(0, sent);
        progress_ += sent > 0 ? 1 : 0;
        return true;
}

}  // namespace governor::server
