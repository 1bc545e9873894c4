// SPDX-License-Identifier: MIT
// A bound TCP socket.
#include "support/tcp_port.hpp"

#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace test_support {

TcpPort::TcpPort(bool ipv6)
        : ipv6_(ipv6), fd_(::socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in v4{};
        v4.sin_family = AF_INET;
        v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        sockaddr_in6 v6{};
        v6.sin6_family = AF_INET6;
        v6.sin6_addr = in6addr_loopback;
        auto* address = ipv6 ? reinterpret_cast<sockaddr*>(&v6) : reinterpret_cast<sockaddr*>(&v4);
        socklen_t length = ipv6 ? sizeof(v6) : sizeof(v4);
        if (::bind(fd_, address, length) < 0 || ::getsockname(fd_, address, &length) < 0) {
                ::close(fd_);
                throw std::runtime_error("no free port");
        }
        number_ = ntohs(ipv6 ? v6.sin6_port : v4.sin_port);
}

TcpPort::~TcpPort() { ::close(fd_); }

void TcpPort::listen(int backlog) const {
        if (::listen(fd_, backlog) < 0)
                throw std::runtime_error("cannot listen at " + address());
}

std::string TcpPort::address() const {
        return (ipv6_ ? "tcp:[::1]:" : "tcp:127.0.0.1:") + std::to_string(number_);
}

}  // namespace test_support
