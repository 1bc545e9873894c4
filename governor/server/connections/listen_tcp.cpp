// SPDX-License-Identifier: MIT
// bind() on a numeric address.
#include "server/connections/listener.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>

namespace governor::server {

namespace {

tl::unexpected<std::string> fail(const config::TcpAddress& address, int error) {
        auto message = "tcp " + config::format_tcp_address(address) + ": " + std::strerror(error);
        if (error == EADDRINUSE)
                message += "; give another port";
        else if (error == EAFNOSUPPORT)
                message += " here; under systemd give the port to governord.socket (ListenStream=)";
        else if (error == EACCES)
                message += "; ports below 1024 are for root";
        return tl::unexpected(std::move(message));
}

int bind_to(int fd, const config::TcpAddress& address) {
        if (address.is_v6()) {
                sockaddr_in6 v6{};
                v6.sin6_family = AF_INET6;
                v6.sin6_port = htons(address.port);
                ::inet_pton(AF_INET6, address.host.c_str(), &v6.sin6_addr);
                return ::bind(fd, reinterpret_cast<const sockaddr*>(&v6), sizeof(v6));
        }
        sockaddr_in v4{};
        v4.sin_family = AF_INET;
        v4.sin_port = htons(address.port);
        ::inet_pton(AF_INET, address.host.c_str(), &v4.sin_addr);
        return ::bind(fd, reinterpret_cast<const sockaddr*>(&v4), sizeof(v4));
}

UniqueFd open_socket(const config::TcpAddress& address) {
        const int family = address.is_v6() ? AF_INET6 : AF_INET;
        return UniqueFd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

}  // namespace

tl::expected<void, std::string> check_tcp(const config::TcpAddress& address) {
        if (!open_socket(address))
                return fail(address, errno);
        return {};
}

ListenResult listen_tcp(const config::TcpAddress& address) {
        auto socket = open_socket(address);
        if (!socket)
                return fail(address, errno);
        // A restarted daemon must not wait for its predecessor's connections to time out.
        const int on = 1;
        ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
        if (bind_to(socket.get(), address) < 0 || ::listen(socket.get(), kBacklog) < 0)
                return fail(address, errno);
        return Listener(std::move(socket));
}

}  // namespace governor::server
