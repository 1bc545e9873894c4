// SPDX-License-Identifier: MIT
//
// The address at which the daemon listens on TCP. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace governor::config {

struct TcpAddress {
        std::string host;        ///< numeric, IPv4 or IPv6
        std::uint16_t port = 0;  ///< 0: any free one

        [[nodiscard]] bool is_v6() const { return host.find(':') != host.npos; }
        friend bool operator==(const TcpAddress&, const TcpAddress&) = default;
};

/// "7777" (loopback), "HOST:7777" or "[IPV6]:7777"; HOST is a numeric IPv4 address or `localhost`,
/// which is 127.0.0.1: nothing is looked up. Empty: not understood.
[[nodiscard]] std::optional<TcpAddress> parse_tcp_address(std::string_view text);

/// "127.0.0.1:7777" or "[::1]:7777".
[[nodiscard]] std::string format_tcp_address(const TcpAddress& address);

}  // namespace governor::config
