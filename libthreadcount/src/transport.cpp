// SPDX-License-Identifier: MIT
// Sockets and messages.
#include "transport.hpp"

#include "clock.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <governor/v1/frame.h>
#include <governor/v1/governor.pb.h>
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

}  // namespace

Addresses::Addresses(const char* path, const char* runtime_directory) {
        if (path != nullptr && strncmp(path, "tcp:", 4) == 0) {
                error_ = -EOPNOTSUPP;
        } else if (path != nullptr) {
                add("", path);
                error_ = count_ == 0 ? -ENAMETOOLONG : 0;
        } else {
                add("/run", "/governord/governord.sock");
                if (runtime_directory != nullptr && runtime_directory[0] == '/')
                        add(runtime_directory, "/governord/governord.sock");
        }
}

void Addresses::add(const char* directory, const char* name) {
        auto& address = list_[count_];
        address.sun_family = AF_UNIX;
        const auto length =
                snprintf(address.sun_path, sizeof(address.sun_path), "%s%s", directory, name);
        if (length > 0 && static_cast<std::size_t>(length) < sizeof(address.sun_path))
                count_++;
}

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

int Transport::connect(const Addresses& addresses) {
        disconnect();
        int error = addresses.error() != 0 ? addresses.error() : -ENOENT;
        for (const auto& address : addresses) {
                fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
                if (fd_ < 0)
                        return -errno;
                struct stat status {};
                if (fstat(fd_, &status) == 0) {
                        device_ = status.st_dev;
                        inode_ = status.st_ino;
                }
                if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) ==
                    0)
                        return 0;
                const int why = errno == EAGAIN ? -ETIMEDOUT : -errno;
                disconnect();
                // "Not permitted" tells more than "not there".
                if (error != -EACCES)
                        error = why;
        }
        return error;
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

int Transport::wait_for_input(std::uint64_t deadline_ns) const {
        pollfd poll_fd{fd_, POLLIN, 0};
        for (;;) {
                const auto now = now_ns();
                const auto left_ms =
                        deadline_ns > now ? (deadline_ns - now + 999'999) / 1'000'000 : 0;
                const int n = poll(&poll_fd, 1, static_cast<int>(left_ms));
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

int Transport::receive(unsigned timeout_ms, Answer* ret_answer) {
        const auto deadline_ns = now_ns() + std::uint64_t{timeout_ms} * 1'000'000;
        for (;;) {
                int result = timeout_ms > 0 ? wait_for_input(deadline_ns) : 0;
                if (result == -EAGAIN)
                        return result;
                if (result == 0) {
                        const auto n = recv(fd_, buffer_ + received_, sizeof(buffer_) - received_,
                                            MSG_DONTWAIT);
                        if (n < 0 && errno == EAGAIN && timeout_ms == 0)
                                return -EAGAIN;
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
