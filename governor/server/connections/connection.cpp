// SPDX-License-Identifier: MIT
// Buffers and framing of one connection.
#include "server/connections/connection.hpp"
#include "server/kernel/pass_rights.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <governor/v1/frame.h>
#include <linux/sockios.h>
#include <span>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

namespace governor::server {

namespace {

constexpr std::size_t kReadSize = 4096;
constexpr unsigned kMessagesPerTurn = 16;
constexpr std::size_t kHeldReplies = 4096;  // with more than this unread, nothing is answered
constexpr std::size_t kReplyUnit = 256;
constexpr std::size_t kMostPassed = 2;  // descriptors with one reply

/// The memory of a long reply goes while it is read. An idle connection should cost nothing but its
/// socket.
void release_spare(std::string& buffer) {
        if (buffer.size() < buffer.capacity() / 2)
                buffer.shrink_to_fit();
}

/// Bytes of sent replies that the kernel still charges to us.
int memory_of_unread(int fd) {
        int bytes = 0;
        ::ioctl(fd, SIOCOUTQ, &bytes);
        return bytes;
}

/// The kernel wakes us while a message is being freed, and still counts a byte of it.
constexpr int kLessThanAnyMessage = 64;

void append_frame(std::string& output, const std::string& message) {
        std::array<std::uint8_t, GOVERNOR_PREFIX_MAX> prefix;
        const auto length = governor_frame_prefix(message.size(), prefix.data());
        output.append(reinterpret_cast<const char*>(prefix.data()), length);
        output.append(message);
}

constexpr ssize_t kHasDescriptors = -2;

/// Reads as recv() does, and all stays where it is. Descriptors that come with a message are the
/// client's, and to read the message would be to close them, here, for as long as that takes.
/// MSG_CTRUNC tells of them before: there is no room for them.
ssize_t peek(int fd, std::span<char> buffer) {
        iovec bytes{buffer.data(), buffer.size()};
        msghdr message{};
        message.msg_iov = &bytes;
        message.msg_iovlen = 1;
        const auto n = ::recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT);
        return n > 0 && (message.msg_flags & MSG_CTRUNC) != 0 ? kHasDescriptors : n;
}

/// An urgent byte with descriptors would be dropped, and they with it, without ever being seen.
void take_urgent_bytes_for_others(int fd) {
        constexpr int kYes = 1;
        ::setsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &kYes, sizeof(kYes));
}

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

Connection::Connection(UniqueFd fd, MessageHandler handler, std::chrono::milliseconds turn)
        : fd_(std::move(fd)), handler_(std::move(handler)), turn_(turn),
          may_bring_descriptors_(!refuses_descriptors(fd_.get())) {
        if (may_bring_descriptors_)
                take_urgent_bytes_for_others(fd_.get());
}

bool Connection::has_room() const { return output_.size() < kHeldReplies; }

bool Connection::may_read() const {
        return has_room() && !input_ended_ && !has_more_ && !waits_for_reader_;
}

std::uint32_t Connection::epoll_events() const {
        // The socket can be written to all the time: told is only what the client reads.
        if (waits_for_reader_)
                return EPOLLOUT | EPOLLET;
        return (may_read() ? EPOLLIN : 0U) | (output_.empty() ? 0U : EPOLLOUT);
}

Connection::State Connection::on_ready() {
        const auto received = may_read() ? receive() : State::Open;
        if (received != State::Open)
                return received;
        if (input_ended_ && input_.empty() && output_.empty())
                return State::Closed;
        const auto started = EventLoop::cpu_time();
        const auto state = answer();
        cpu_time_ += EventLoop::cpu_time() - started;
        return state;
}

Connection::State Connection::answer() {
        // Sending makes room for replies to messages that are here already.
        Turn turn{kMessagesPerTurn, EventLoop::now() + turn_};
        for (bool more = true; more;) {
                if (!handle_messages(turn)) {
                        (void)send_replies();
                        return State::Bad;
                }
                const bool was_full = !has_room();
                if (!send_replies())
                        return State::Closed;
                more = was_full && has_room();
        }
        if (input_ended_ && output_.empty() && !has_more_)
                return input_.empty() ? State::Closed : State::Bad;
        release_spare(input_);
        release_spare(output_);
        return State::Open;
}

Connection::State Connection::receive() {
        std::array<char, kReadSize> chunk;
        auto most = static_cast<ssize_t>(chunk.size());
        if (may_bring_descriptors_)  // what comes later than this stays: it was not looked at
                most = peek(fd_.get(), chunk);
        if (most == kHasDescriptors)
                return State::Bad;
        const auto n = most > 0 ? ::recv(fd_.get(), chunk.data(), static_cast<std::size_t>(most),
                                         MSG_DONTWAIT)
                                : most;
        work_ += n != 0 ? 1 : 0;  // an urgent byte, too, that the kernel has dropped
        if (n < 0)
                return would_block() ? State::Open : State::Closed;
        input_.append(chunk.data(), static_cast<std::size_t>(n));
        input_ended_ = n == 0;
        return State::Open;
}

bool Connection::handle_messages(Turn& turn) {
        std::size_t done = 0;
        has_more_ = false;
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
                const bool is_first = turn.messages == kMessagesPerTurn;
                has_more_ = turn.messages == 0 || (!is_first && EventLoop::now() >= turn.end);
                if (has_more_)
                        break;
                turn.messages--;
                const auto answer = handler_(rest.substr(begin, end - begin));
                if (!answer || answer->bytes.size() > GOVERNOR_REPLY_MAX)
                        return false;
                hold(*answer);
                cpu_time_ -= answer->free_of_charge;
                done += end;
                work_ += 1 + answer->bytes.size() / kReplyUnit;
        }
        input_.erase(0, done);
        return true;
}

void Connection::hold(const Answer& answer) {
        untouched_ = 0;  // an answer has to be read
        if (!answer.descriptors.empty())
                passed_.push_back({output_.size(), answer.descriptors});
        append_frame(output_, answer.bytes);
}

void Connection::tell(const std::string& reply) {
        if (!output_.empty() || memory_of_unread(fd_.get()) >= kLessThanAnyMessage)
                return;
        std::string frame;
        append_frame(frame, reply);
        // A message this short goes as a whole into a buffer that is empty. One that has gone says
        // so by the event that is on its way.
        (void)::send(fd_.get(), frame.data(), frame.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        untouched_ = memory_of_unread(fd_.get());
}

std::optional<std::uint64_t> Connection::progress() const {
        const int unread = memory_of_unread(fd_.get());
        if (input_.empty() && output_.empty() && unread <= untouched_)
                return std::nullopt;
        return progress_ + static_cast<std::uint64_t>(unread);
}

bool Connection::send_replies() {
        std::size_t sent = 0;
        waits_for_reader_ = false;
        while (sent < output_.size()) {
                waits_for_reader_ = must_wait_for_reader(sent);
                if (waits_for_reader_)
                        break;
                const auto n = send_some(sent);
                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0 && !would_block())
                        return false;
                if (n < 0)
                        break;
                sent += static_cast<std::size_t>(n);
        }
        output_.erase(0, sent);
        for (auto& passed : passed_)
                passed.offset -= sent;
        progress_ += sent > 0 ? 1 : 0;
        return true;
}

/// Descriptors that nobody has received count against a limit of our user (unix(7), ETOOMANYREFS),
/// so there are those of one reply at most on each connection.
bool Connection::must_wait_for_reader(std::size_t sent) {
        if (passed_.empty() || passed_.front().offset != sent)
                return false;
        is_passing_ = is_passing_ && memory_of_unread(fd_.get()) >= kLessThanAnyMessage;
        return is_passing_;
}

/// Descriptors arrive with the byte that they are sent with: no further than to the next ones.
ssize_t Connection::send_some(std::size_t sent) {
        const bool passes = !passed_.empty() && passed_.front().offset == sent;
        const auto next = passes ? (passed_.size() > 1 ? passed_[1].offset : output_.size())
                                 : (passed_.empty() ? output_.size() : passed_.front().offset);
        iovec bytes{output_.data() + sent, next - sent};
        msghdr message{};
        message.msg_iov = &bytes;
        message.msg_iovlen = 1;
        alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostPassed * sizeof(int))> control{};
        if (passes) {
                const auto& descriptors = passed_.front().descriptors;
                const auto size = std::min(descriptors.size(), kMostPassed) * sizeof(int);
                message.msg_control = control.data();
                message.msg_controllen = CMSG_SPACE(size);
                auto* header = CMSG_FIRSTHDR(&message);
                header->cmsg_level = SOL_SOCKET;
                header->cmsg_type = SCM_RIGHTS;
                header->cmsg_len = CMSG_LEN(size);
                std::memcpy(CMSG_DATA(header), descriptors.data(), size);
        }
        const auto n = ::sendmsg(fd_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n > 0 && passes) {
                passed_.pop_front();
                is_passing_ = true;
        }
        return n;
}

}  // namespace governor::server
