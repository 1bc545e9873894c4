// SPDX-License-Identifier: MIT
// Sockets and messages.
#include "transport.hpp"

#include "clock.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <governor/v1/frame.h>
#include <governor/v1/governor.pb.h>
#include <netinet/tcp.h>
#include <pb_decode.h>
#include <pb_encode.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace threadcount {

namespace {

constexpr std::uint32_t kProtocol = 1;

bool decode(const std::uint8_t* data, std::size_t size, Answer* ret_answer) {
        governor_v1_Reply reply = governor_v1_Reply_init_zero;
        auto stream = pb_istream_from_buffer(data, size);
        if (!pb_decode(&stream, governor_v1_Reply_fields, &reply) ||
            reply.which_kind != governor_v1_Reply_advice_tag)
                return false;
        const auto& advice = reply.kind.advice;
        ret_answer->threads = advice.threads;
        ret_answer->free = advice.free;
        ret_answer->total = advice.total;
        // A newer governor may name a reason that this enum cannot hold: look at the bits.
        int reason = 0;
        static_assert(sizeof(reason) == sizeof(advice.reason));
        memcpy(&reason, &advice.reason, sizeof(reason));
        ret_answer->warming_up = reason == governor_v1_Advice_Reason_WARMING_UP;
        ret_answer->settle_ms = advice.settle_ms;
        ret_answer->warm_in_ms = advice.warm_in_ms;
        static_assert(sizeof(ret_answer->explanation) == sizeof(advice.explanation));
        memcpy(ret_answer->explanation, advice.explanation, sizeof(advice.explanation));
        return true;
}

/// Numbers 0 to 2 are the program's standard streams, even if it has closed them: what it prints
/// must not go to the governor. Returns a descriptor or a negative errno.
int open_socket(int family) {
        const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0)
                return -errno;
        if (fd > STDERR_FILENO)
                return fd;
        const int higher = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        const int result = higher < 0 ? -errno : higher;
        close(fd);
        return result;
}

/// TCP can connect a socket to itself if its own port happens to be the one that it looks for and
/// nobody listens there.
bool is_connected_to_itself(int fd) {
        Address own = {};
        Address peer = {};
        socklen_t own_length = sizeof(own);
        socklen_t peer_length = sizeof(peer);
        return getsockname(fd, &own.any, &own_length) == 0 &&
               getpeername(fd, &peer.any, &peer_length) == 0 && own_length == peer_length &&
               memcmp(&own, &peer, own_length) == 0;
}

}  // namespace

bool Transport::is_ours() const {
        struct stat status {};
        return fd_ >= 0 && fstat(fd_, &status) == 0 && status.st_dev == device_ &&
               status.st_ino == inode_;
}

bool Transport::connected() {
        if (fd_ >= 0 && !is_ours()) {
                fd_ = -1;
                received_ = 0;
        }
        return fd_ >= 0;
}

void Transport::disconnect() {
        if (is_ours())
                close(fd_);
        fd_ = -1;
        received_ = 0;
}

int Transport::connect(const Addresses& addresses, std::uint64_t deadline_ns) {
        disconnect();
        peer_ = nullptr;
        int error = addresses.error() != 0 ? addresses.error() : -ENOENT;
        for (const auto& address : addresses) {
                int result = open(address);
                if (result == 0)
                        result = connect_to(address, deadline_ns);
                // "Not permitted" tells more than "not there".
                if (result == 0 || error != -EACCES) {
                        peer_ = &address;
                        error = result;
                }
                if (result == 0)
                        return 0;
                disconnect();
        }
        return error;
}

int Transport::open(const Address& address) {
        const int fd = open_socket(address.any.sa_family);
        if (fd < 0)
                return fd;
        fd_ = fd;
        struct stat status {};
        if (fstat(fd_, &status) < 0)
                return -errno;
        device_ = status.st_dev;
        inode_ = status.st_ino;
        return 0;
}

int Transport::connect_to(const Address& address, std::uint64_t deadline_ns) {
        const int on = 1;
        if (address.any.sa_family != AF_UNIX)
                setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        if (::connect(fd_, &address.any, address.length) == 0)
                return 0;
        return errno == EINPROGRESS ? finish_connecting(deadline_ns)
               : errno == EAGAIN    ? -ETIMEDOUT
                                    : -errno;
}

int Transport::finish_connecting(std::uint64_t deadline_ns) const {
        const int waited = wait_for(POLLOUT, deadline_ns);
        if (waited < 0)
                return waited == -EAGAIN ? -ETIMEDOUT : waited;
        int error = 0;
        socklen_t length = sizeof(error);
        if (getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &length) < 0)
                return -errno;
        return error == 0 && is_connected_to_itself(fd_) ? -ECONNREFUSED : -error;
}

int Transport::send(const Question& question) {
        governor_v1_Request request = governor_v1_Request_init_zero;
        request.protocol = kProtocol;
        request.which_kind = governor_v1_Request_query_tag;
        request.kind.query.current = question.current;
        request.kind.query.max = question.max;
        std::uint8_t message[GOVERNOR_PREFIX_MAX + governor_v1_Request_size];
        auto stream = pb_ostream_from_buffer(message, sizeof(message));
        if (!pb_encode_ex(&stream, governor_v1_Request_fields, &request, PB_ENCODE_DELIMITED)) {
                disconnect();
                return -EPROTO;
        }
        // So short a message fits into the socket's buffer or the peer does not read at all.
        const auto n = ::send(fd_, message, stream.bytes_written, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n == static_cast<ssize_t>(stream.bytes_written))
                return 0;
        const int error = n < 0 && errno != EAGAIN ? -errno : -ETIMEDOUT;
        disconnect();
        return error;
}

int Transport::wait_for(short events, std::uint64_t deadline_ns) const {
        constexpr std::uint64_t kSecond_ns = 1'000'000'000;
        pollfd poll_fd{fd_, events, 0};
        for (;;) {
                const auto now = now_ns();
                const auto left_ns = deadline_ns > now ? deadline_ns - now : 0;
                const timespec left{static_cast<time_t>(left_ns / kSecond_ns),
                                    static_cast<long>(left_ns % kSecond_ns)};
                const int n = ppoll(&poll_fd, 1, &left, nullptr);
                if (n > 0)
                        return 0;
                if (n == 0)
                        return -EAGAIN;
                if (errno != EINTR)
                        return -errno;
        }
}

int Transport::parse(Answer* ret_answer) {
        std::size_t begin = 0;
        std::size_t end = 0;
        switch (governor_frame_parse(buffer_, received_, GOVERNOR_REPLY_MAX, &begin, &end)) {
        case GOVERNOR_FRAME_PARTIAL:
                return received_ < sizeof(buffer_) ? -EAGAIN : -EPROTO;
        case GOVERNOR_FRAME_INVALID:
                return -EPROTO;
        case GOVERNOR_FRAME_COMPLETE:
                break;
        }
        if (end != received_ || !decode(buffer_ + begin, end - begin, ret_answer))
                return -EPROTO;
        received_ = 0;
        return 0;
}

int Transport::receive(std::uint64_t deadline_ns, Answer* ret_answer) {
        for (;;) {
                int result = wait_for(POLLIN, deadline_ns);
                if (result == -EAGAIN)
                        return result;
                if (result == 0) {
                        const auto n = recv(fd_, buffer_ + received_, sizeof(buffer_) - received_,
                                            MSG_DONTWAIT);
                        if (n < 0 && (errno == EAGAIN || errno == EINTR))
                                continue;
                        result = n < 0 ? -errno : n == 0 ? -ECONNRESET : 0;
                        received_ += n > 0 ? static_cast<std::size_t>(n) : 0;
                }
                if (result == 0)
                        result = parse(ret_answer);
                if (result == -EAGAIN)
                        continue;
                if (result < 0)
                        disconnect();
                return result;
        }
}

}  // namespace threadcount
