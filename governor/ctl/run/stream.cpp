// SPDX-License-Identifier: MIT
// Frames and descriptors over a Unix socket.
#include "run/stream.hpp"

#include "printable_reply.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <governor/v1/frame.h>
#include <sys/socket.h>
#include <unistd.h>

namespace ctl::run {

namespace {

/// A welcome has two.
constexpr std::size_t kMostDescriptors = 4;

void take_from(const msghdr& message, std::vector<int>& to) {
        for (auto* part = CMSG_FIRSTHDR(&message); part != nullptr;
             part = CMSG_NXTHDR(const_cast<msghdr*>(&message), part)) {
                if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
                        continue;
                for (std::size_t at = CMSG_LEN(0); at + sizeof(int) <= part->cmsg_len;
                     at += sizeof(int)) {
                        int fd = -1;
                        std::memcpy(&fd, reinterpret_cast<const char*>(part) + at, sizeof(fd));
                        to.push_back(fd);
                }
        }
}

}  // namespace

Stream::Stream(Connection connection) : connection_(std::move(connection)) {}

Stream::~Stream() {
        for (const int fd : descriptors_)
                ::close(fd);
}

void Stream::send(governor::v1::Request request) {
        request.set_protocol(1);
        const auto message = request.SerializeAsString();
        std::array<std::uint8_t, GOVERNOR_PREFIX_MAX> prefix;
        const auto length = governor_frame_prefix(message.size(), prefix.data());
        const auto framed =
                std::string(reinterpret_cast<const char*>(prefix.data()), length) + message;
        if (::send(fd(), framed.data(), framed.size(), MSG_NOSIGNAL | MSG_DONTWAIT) !=
            static_cast<ssize_t>(framed.size()))
                is_over_ = true;
}

std::optional<governor::v1::Reply> Stream::next() {
        while (!is_over_) {
                std::size_t begin = 0;
                std::size_t end = 0;
                const auto frame = governor_frame_parse(
                        reinterpret_cast<const std::uint8_t*>(received_.data()), received_.size(),
                        GOVERNOR_REPLY_MAX, &begin, &end);
                if (frame == GOVERNOR_FRAME_COMPLETE) {
                        governor::v1::Reply reply;
                        is_over_ = !reply.ParseFromString(received_.substr(begin, end - begin));
                        received_.erase(0, end);
                        if (is_over_)
                                break;
                        make_printable(reply);
                        return reply;
                }
                if (frame == GOVERNOR_FRAME_INVALID)
                        is_over_ = true;
                const auto before = received_.size();
                if (!is_over_)
                        read_some();
                if (received_.size() == before)
                        break;
        }
        return std::nullopt;
}

void Stream::read_some() {
        std::array<char, 4096> chunk;
        alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostDescriptors * sizeof(int))> control;
        iovec data{chunk.data(), chunk.size()};
        msghdr message{};
        message.msg_iov = &data;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        const auto n = ::recvmsg(fd(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (n > 0) {
                take_from(message, descriptors_);
                received_.append(chunk.data(), static_cast<std::size_t>(n));
        } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
                is_over_ = true;
        }
        if (descriptors_.size() > kMostDescriptors)
                is_over_ = true;
}

}  // namespace ctl::run
