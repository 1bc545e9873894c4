// SPDX-License-Identifier: MIT
// What all listening sockets have in common.
#include "server/connections/listener.hpp"

#include "server/connections/bound_path.hpp"
#include "server/kernel/pass_rights.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace governor::server {

namespace {

struct Address {
        sockaddr_storage storage{};
        socklen_t length = sizeof(storage);

        template <class T>
        [[nodiscard]] T as() const {
                T typed;
                std::memcpy(&typed, &storage, sizeof(typed));
                return typed;
        }
};

Address own_address(int fd) {
        Address address;
        ::getsockname(fd, reinterpret_cast<sockaddr*>(&address.storage), &address.length);
        return address;
}

std::string host(int family, const void* binary) {
        char text[INET6_ADDRSTRLEN] = "";
        ::inet_ntop(family, binary, text, sizeof(text));
        return text;
}

/// An abstract name is written with '@' in front, as ss(8) does.
std::string unix_name(const Address& address) {
        const auto local = address.as<sockaddr_un>();
        const std::size_t length = address.length - offsetof(sockaddr_un, sun_path);
        std::string path(local.sun_path, std::min(length, sizeof(local.sun_path)));
        if (!path.empty() && path.front() == '\0')
                path.front() = '@';
        else
                path = path.c_str();
        return path;
}

std::string describe(const Address& address) {
        if (address.storage.ss_family == AF_INET) {
                const auto v4 = address.as<sockaddr_in>();
                return config::format_tcp_address(
                        {host(AF_INET, &v4.sin_addr), ntohs(v4.sin_port)});
        }
        if (address.storage.ss_family == AF_INET6) {
                const auto v6 = address.as<sockaddr_in6>();
                return config::format_tcp_address(
                        {host(AF_INET6, &v6.sin6_addr), ntohs(v6.sin6_port)});
        }
        return unix_name(address);
}

/// Accepted sockets inherit these. Answers go out at once; peers that are gone without a word are
/// noticed after two minutes.
void tune_tcp(int fd) {
        const auto set = [fd](int level, int option, int value) {
                ::setsockopt(fd, level, option, &value, sizeof(value));
        };
        set(IPPROTO_TCP, TCP_NODELAY, 1);
        set(SOL_SOCKET, SO_KEEPALIVE, 1);
        set(IPPROTO_TCP, TCP_KEEPIDLE, 60);
        set(IPPROTO_TCP, TCP_KEEPINTVL, 10);
        set(IPPROTO_TCP, TCP_KEEPCNT, 6);
}

/// Descriptors that clients send are of no use to us, and dangerous: see Connection. The kernel can
/// refuse them (since Linux 6.16), but not on a connection that was there before.
void refuse_descriptors(int fd) {
        constexpr int kNo = 0;
        ::setsockopt(fd, SOL_SOCKET, kPassRights, &kNo, sizeof(kNo));
        // With these, which a socket unit may ask for, each message would bring something.
        ::setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &kNo, sizeof(kNo));
        ::setsockopt(fd, SOL_SOCKET, SO_PASSSEC, &kNo, sizeof(kNo));
}

/// Replies that nobody reads lie in memory that the kernel charges to us: by default 208 KiB for
/// each client. Longer replies go out in pieces.
void limit_send_buffer(int fd) {
        constexpr int kBytes = 4096;  // the kernel doubles it, for its own book-keeping
        ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kBytes, sizeof(kBytes));
}

}  // namespace

Listener::Listener(UniqueFd socket) : Listener(std::move(socket), nullptr) {}

Listener::Listener(UniqueFd socket, std::unique_ptr<BoundPath> path)
        : socket_(std::move(socket)), path_(std::move(path)) {
        const auto address = own_address(fd());
        name_ = describe(address);
        is_local_ = address.storage.ss_family == AF_UNIX;
        ::fcntl(fd(), F_SETFL, ::fcntl(fd(), F_GETFL) | O_NONBLOCK);
        if (is_local_)
                refuse_descriptors(fd());
        else
                tune_tcp(fd());
}

Listener::Listener(Listener&&) noexcept = default;
Listener& Listener::operator=(Listener&&) noexcept = default;
Listener::~Listener() = default;

tl::expected<Arrival, int> Listener::accept() const {
        Arrival arrival;
        arrival.fd = UniqueFd(::accept4(fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!arrival.fd)
                return tl::unexpected(errno);
        limit_send_buffer(arrival.fd.get());
        if (!is_local_)
                return arrival;
        ucred peer{};
        socklen_t size = sizeof(peer);
        if (::getsockopt(arrival.fd.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
                return tl::unexpected(ECONNABORTED);
        arrival.uid = peer.uid;
        arrival.pid = static_cast<std::uint32_t>(std::max(peer.pid, 0));
        return arrival;
}

}  // namespace governor::server
