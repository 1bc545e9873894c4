// SPDX-License-Identifier: MIT
// Raw sockets and frames.
#include "support/wire.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <governor/v1/frame.h>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

namespace test_support {

namespace {

template <class Address>
int connect_to_address(int family, const Address& address) {
        const int fd = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const timeval patience{10, 0};
        ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
        if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0)
                return fd;
        const int error = errno;
        ::close(fd);
        errno = error;
        return -1;
}

int connect_to(const std::string& path) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
        return connect_to_address(AF_UNIX, address);
}

int connect_to(std::uint16_t tcp_port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(tcp_port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return connect_to_address(AF_INET, address);
}

bool close_if_open(int fd) {
        if (fd >= 0)
                ::close(fd);
        return fd >= 0;
}

}  // namespace

std::string frame(const std::string& message) {
        std::array<std::uint8_t, GOVERNOR_PREFIX_MAX> prefix;
        const auto length = governor_frame_prefix(message.size(), prefix.data());
        return std::string(reinterpret_cast<const char*>(prefix.data()), length) + message;
}

WireClient::WireClient(const std::string& path) : fd_(connect_to(path)) {
        if (fd_ < 0)
                throw std::runtime_error("nobody listens at " + path + ": " + std::strerror(errno));
}

WireClient::WireClient(std::uint16_t tcp_port) : fd_(connect_to(tcp_port)) {
        if (fd_ < 0)
                throw std::runtime_error("nobody listens at port " + std::to_string(tcp_port));
}

WireClient::~WireClient() {
        for (const int descriptor : descriptors_)
                ::close(descriptor);
        ::close(fd_);
}

ssize_t WireClient::read_some() {
        std::array<char, 4096> chunk;
        iovec bytes{chunk.data(), chunk.size()};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(16 * sizeof(int))> control;
        msghdr message{};
        message.msg_iov = &bytes;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        const auto n = ::recvmsg(fd_, &message, MSG_CMSG_CLOEXEC);
        if (n <= 0)
                return n;
        received_.append(chunk.data(), static_cast<std::size_t>(n));
        const auto* header = CMSG_FIRSTHDR(&message);
        if (header == nullptr || header->cmsg_type != SCM_RIGHTS)
                return n;
        std::array<int, 16> passed;
        const auto size = header->cmsg_len - CMSG_LEN(0);
        std::memcpy(passed.data(), CMSG_DATA(header), size);
        descriptors_.insert(descriptors_.end(), passed.begin(),
                            passed.begin() + static_cast<std::ptrdiff_t>(size / sizeof(int)));
        return n;
}

bool WireClient::send_bytes(const std::string& bytes) const {
        return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
               static_cast<ssize_t>(bytes.size());
}

void WireClient::finish_sending() const { ::shutdown(fd_, SHUT_WR); }

std::optional<governor::v1::Reply> WireClient::receive() {
        for (;;) {
                std::size_t begin = 0;
                std::size_t end = 0;
                const auto found = governor_frame_parse(
                        reinterpret_cast<const std::uint8_t*>(received_.data()), received_.size(),
                        GOVERNOR_REPLY_MAX, &begin, &end);
                if (found == GOVERNOR_FRAME_COMPLETE) {
                        governor::v1::Reply reply;
                        const bool parsed =
                                reply.ParseFromString(received_.substr(begin, end - begin));
                        received_.erase(0, end);
                        return parsed ? std::optional(reply) : std::nullopt;
                }
                if (read_some() <= 0)
                        return std::nullopt;
        }
}

std::optional<governor::v1::Reply> WireClient::call(governor::v1::Request request) {
        if (request.protocol() == 0)
                request.set_protocol(1);
        if (!send_bytes(frame(request.SerializeAsString())))
                return std::nullopt;
        return receive();
}

bool WireClient::is_ended() {
        std::array<char, 4096> chunk;
        for (;;) {
                const auto n = ::recv(fd_, chunk.data(), chunk.size(), 0);
                if (n <= 0)
                        return n == 0 || errno == ECONNRESET;
        }
}

bool can_connect(const std::string& path) { return close_if_open(connect_to(path)); }

bool can_connect(std::uint16_t tcp_port) { return close_if_open(connect_to(tcp_port)); }

governor::v1::Request query(std::uint32_t current, std::uint32_t max) {
        governor::v1::Request request;
        request.mutable_query()->set_current(current);
        request.mutable_query()->set_max(max);
        return request;
}

governor::v1::Status status(const std::string& path) {
        governor::v1::Request request;
        request.mutable_status();
        const auto reply = WireClient(path).call(request);
        if (!reply)
                throw std::runtime_error("no answer to status");
        return reply->status();
}

}  // namespace test_support
