// SPDX-License-Identifier: MIT
//
// The place where a governor listens, as the user writes it. Pure.
#pragma once

#include <string>
#include <sys/socket.h>
#include <tl/expected.hpp>

namespace ctl {

/// The address as connect() wants it.
struct Address {
        sockaddr_storage storage{};
        socklen_t length = 0;

        [[nodiscard]] const sockaddr* get() const {
                return reinterpret_cast<const sockaddr*>(&storage);
        }
};

/// A path of a Unix socket (at most 107 bytes), or "tcp:HOST:PORT". HOST is a numeric IPv4 address,
/// a numeric IPv6 address in brackets, or localhost (127.0.0.1). PORT is 1 .. 65535. Anything else
/// is one sentence that says so. libthreadcount accepts the same.
[[nodiscard]] tl::expected<Address, std::string> parse_address(const std::string& text);

/// The socket of the host's governor.
inline constexpr const char* kHostSocket = "/run/governord/governord.sock";

/// The advice for a user that finds no governor at `where`: "start one by ...". `has_systemd`: it
/// runs the services of this host.
[[nodiscard]] std::string how_to_find_a_governor(const std::string& where, bool has_systemd);

}  // namespace ctl
