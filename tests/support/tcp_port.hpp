// SPDX-License-Identifier: MIT
//
// A TCP port of this host that belongs to a test.
#pragma once

#include <cstdint>
#include <string>

namespace test_support {

class TcpPort {
public:
        /// Takes a free port. Nobody listens there yet: connections are refused. Throws if there
        /// is no such address on this machine.
        explicit TcpPort(bool ipv6 = false);
        ~TcpPort();
        TcpPort(const TcpPort&) = delete;
        TcpPort& operator=(const TcpPort&) = delete;

        /// From now on clients can connect and send, as many as `backlog` allows.
        void listen(int backlog = 16) const;

        /// "tcp:HOST:PORT", as THREADCOUNT_SOCKET takes it.
        [[nodiscard]] std::string address() const;
        [[nodiscard]] std::uint16_t number() const { return number_; }
        [[nodiscard]] int fd() const { return fd_; }

private:
        bool ipv6_;
        int fd_ = -1;
        std::uint16_t number_ = 0;
};

}  // namespace test_support
