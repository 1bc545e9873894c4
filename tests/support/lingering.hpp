// SPDX-License-Identifier: MIT
//
// A socket whose close() waits, and how to make somebody else close it.
#pragma once

#include <array>
#include <cstring>
#include <netinet/in.h>
#include <span>
#include <string_view>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>
#include <vector>

namespace test_support {

/// TCP sockets that have sent more than the other end takes, and linger: whoever closes the last
/// descriptor of one waits for kLinger_s, unless a signal comes.
class Lingering {
public:
        static constexpr int kLinger_s = 60;

        Lingering() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
                sockaddr_in any{};
                any.sin_family = AF_INET;
                any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
                ::bind(listener_, reinterpret_cast<const sockaddr*>(&any), sizeof(any));
                ::listen(listener_, 256);
        }
        Lingering(const Lingering&) = delete;
        Lingering& operator=(const Lingering&) = delete;
        /// Code that waits goes on then.
        ~Lingering() {
                for (const int fd : others_)
                        ::close(fd);
                ::close(listener_);
        }

        /// One more. To be sent, not to be closed, or that waits, too.
        [[nodiscard]] int make() {
                sockaddr_in address{};
                socklen_t size = sizeof(address);
                ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
                const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
                ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
                others_.push_back(::accept(listener_, nullptr, nullptr));
                const std::array<char, 65536> much{};
                while (::send(fd, much.data(), much.size(), MSG_DONTWAIT) > 0) {
                }
                const linger wait{1, kLinger_s};
                ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &wait, sizeof(wait));
                return fd;
        }

private:
        int listener_;
        std::vector<int> others_;
};

/// send() with descriptors, which are closed here without a wait. False: see errno.
inline bool send_away(int socket, std::string_view bytes, std::span<const int> descriptors,
                      int flags = 0) {
        iovec data{const_cast<char*>(bytes.data()), bytes.size()};
        std::vector<char> control(CMSG_SPACE(descriptors.size_bytes()));
        msghdr message{};
        message.msg_iov = &data;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        auto* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
        std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
        const bool is_sent = ::sendmsg(socket, &message, flags | MSG_NOSIGNAL | MSG_DONTWAIT) ==
                             static_cast<ssize_t>(bytes.size());
        for (const int fd : descriptors) {
                if (!is_sent) {
                        const linger at_once{1, 0};
                        ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
                }
                ::close(fd);
        }
        return is_sent;
}

}  // namespace test_support
