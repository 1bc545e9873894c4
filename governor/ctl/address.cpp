// SPDX-License-Identifier: MIT
// Paths and tcp:HOST:PORT to socket addresses.
#include "address.hpp"

#include <arpa/inet.h>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <netinet/in.h>
#include <optional>
#include <string_view>
#include <sys/un.h>

namespace ctl {

namespace {

constexpr std::string_view kTcp = "tcp:";

template <class Sockaddr>
Address as_address(const Sockaddr& from) {
        Address address;
        std::memcpy(&address.storage, &from, sizeof(from));
        address.length = sizeof(from);
        return address;
}

std::optional<in_port_t> parse_port(std::string_view text) {
        std::uint32_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc{} || end != text.data() + text.size() || text.size() > 5 ||
            number < 1 || number > 65535)
                return std::nullopt;
        return htons(static_cast<std::uint16_t>(number));
}

std::optional<Address> parse_v4(const std::string& host, in_port_t port) {
        sockaddr_in v4{};
        v4.sin_family = AF_INET;
        v4.sin_port = port;
        const auto* numeric = host == "localhost" ? "127.0.0.1" : host.c_str();
        if (::inet_pton(AF_INET, numeric, &v4.sin_addr) != 1)
                return std::nullopt;
        return as_address(v4);
}

std::optional<Address> parse_v6(const std::string& host, in_port_t port) {
        sockaddr_in6 v6{};
        v6.sin6_family = AF_INET6;
        v6.sin6_port = port;
        if (::inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) != 1)
                return std::nullopt;
        return as_address(v6);
}

/// Parses the part behind "tcp:".
std::optional<Address> parse_tcp(std::string_view text) {
        const auto colon = text.rfind(':');
        if (colon == text.npos)
                return std::nullopt;
        const auto host = text.substr(0, colon);
        const auto port = parse_port(text.substr(colon + 1));
        if (!port)
                return std::nullopt;
        if (host.starts_with('[') && host.ends_with(']'))
                return parse_v6(std::string(host.substr(1, host.size() - 2)), *port);
        return parse_v4(std::string(host), *port);
}

}  // namespace

tl::expected<Address, std::string> parse_address(const std::string& text) {
        if (text.starts_with(kTcp)) {
                const auto address = parse_tcp(std::string_view(text).substr(kTcp.size()));
                if (address)
                        return *address;
                return tl::unexpected(
                        text + " is not accepted; accepted: the path of a socket, or "
                               "tcp:HOST:PORT where HOST is a numeric IPv4 address, [IPv6] in "
                               "brackets or localhost, and PORT is 1 .. 65535");
        }
        sockaddr_un local{};
        local.sun_family = AF_UNIX;
        if (text.empty() || text.size() >= sizeof(local.sun_path))
                return tl::unexpected("socket path of " + std::to_string(text.size()) +
                                      " bytes; accepted: 1 .. " +
                                      std::to_string(sizeof(local.sun_path) - 1));
        std::memcpy(local.sun_path, text.data(), text.size());
        return as_address(local);
}

std::string how_to_find_a_governor(const std::string& where, bool has_systemd) {
        if (where.starts_with(kTcp))
                return "start governord with --tcp there, or name another with --socket";
        if (where != kHostSocket)
                return "start one there by `governord --socket`, or name another with --socket";
        return std::string(has_systemd ? "see `systemctl status governord.socket`"
                                       : "start one by `governord &` as root") +
               ", or start your own by `governord --socket PATH &` and name it with --socket";
}

}  // namespace ctl
