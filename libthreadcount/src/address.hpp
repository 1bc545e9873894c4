// SPDX-License-Identifier: MIT
//
// The addresses where a governor may listen: a Unix socket's path, or a port of a numeric Internet
// address.
#pragma once

#include <cstddef>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace threadcount {

/// The arguments of connect().
struct Address {
        union {
                sockaddr any;
                sockaddr_un local;
                sockaddr_in v4;
                sockaddr_in6 v6;
        };
        socklen_t length;
};

/// Room for the text of the longest address.
inline constexpr std::size_t kAddressText = sizeof(sockaddr_un::sun_path);

/// "tcp:HOST:PORT": HOST is a numeric IPv4 address, a numeric IPv6 address in brackets, or
/// localhost (127.0.0.1 only), PORT is 1 .. 65535. Resolves no names: that may block for seconds.
[[nodiscard]] bool parse_tcp(const char* text, Address* ret_address);

/// Writes the address as THREADCOUNT_SOCKET takes it.
void describe(const Address& address, char (&ret_text)[kAddressText]);

/// The addresses to look at, in this order.
class Addresses {
public:
        /// `given`: the only place, a path or "tcp:HOST:PORT"; nullptr: the system's socket, then
        /// the user's. Nothing is kept of the strings.
        explicit Addresses(const char* given, const char* runtime_directory);

        /// 0, or why there is no address: -EINVAL (`given` is neither form), -ENAMETOOLONG (a
        /// path that is too long).
        [[nodiscard]] int error() const { return error_; }
        [[nodiscard]] const Address* begin() const { return list_; }
        [[nodiscard]] const Address* end() const { return list_ + count_; }

        /// `given` if it is no address, cut to fit; else "".
        [[nodiscard]] const char* refused() const { return refused_; }

private:
        void add_path(const char* directory, const char* name);

        Address list_[2] = {};
        int count_ = 0;
        int error_ = 0;
        char refused_[48] = "";
};

}  // namespace threadcount
