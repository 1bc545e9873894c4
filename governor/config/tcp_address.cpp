// SPDX-License-Identifier: MIT
// HOST:PORT without a resolver.
#include "config/tcp_address.hpp"

#include <arpa/inet.h>
#include <charconv>

namespace governor::config {

namespace {

constexpr std::string_view kLoopback = "127.0.0.1";

bool is_numeric(int family, const std::string& host) {
        in6_addr address{};  // large enough for both families
        return ::inet_pton(family, host.c_str(), &address) == 1;
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
        constexpr std::size_t kMostDigits = 5;
        std::uint16_t port = 0;
        const auto* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, port);
        if (error != std::errc() || stop != end || text.size() > kMostDigits)
                return std::nullopt;
        return port;
}

/// The part before the last colon, without the brackets of IPv6; empty: no such host.
std::string parse_host(std::string_view text) {
        if (text == "localhost")
                return std::string(kLoopback);
        const bool bracketed = text.size() > 2 && text.front() == '[' && text.back() == ']';
        const std::string host(bracketed ? text.substr(1, text.size() - 2) : text);
        return is_numeric(bracketed ? AF_INET6 : AF_INET, host) ? host : std::string();
}

}  // namespace

std::optional<TcpAddress> parse_tcp_address(std::string_view text) {
        const auto colon = text.rfind(':');
        const bool has_host = colon != text.npos;
        const auto port = parse_port(has_host ? text.substr(colon + 1) : text);
        auto host = has_host ? parse_host(text.substr(0, colon)) : std::string(kLoopback);
        if (!port || host.empty())
                return std::nullopt;
        return TcpAddress{std::move(host), *port};
}

std::string format_tcp_address(const TcpAddress& address) {
        const auto host = address.is_v6() ? "[" + address.host + "]" : address.host;
        return host + ":" + std::to_string(address.port);
}

}  // namespace governor::config
