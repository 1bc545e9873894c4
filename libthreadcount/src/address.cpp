// SPDX-License-Identifier: MIT
// Addresses from text and back, without allocation.
#include "address.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace threadcount {

namespace {

constexpr char kTcp[] = "tcp:";

bool is_tcp(const char* text) { return strncmp(text, kTcp, sizeof(kTcp) - 1) == 0; }

/// 1 .. 65535, nothing behind it.
bool parse_port(const char* text, in_port_t* ret_port) {
        std::uint32_t number = 0;
        int digits = 0;
        for (; *text >= '0' && *text <= '9' && digits < 5; text++, digits++)
                number = number * 10 + static_cast<std::uint32_t>(*text - '0');
        if (*text != '\0' || number < 1 || number > 65535)
                return false;
        *ret_port = htons(static_cast<std::uint16_t>(number));
        return true;
}

bool parse_v4(const char* host, in_port_t port, Address* ret_address) {
        sockaddr_in v4 = {};
        v4.sin_family = AF_INET;
        v4.sin_port = port;
        const char* numeric = strcmp(host, "localhost") == 0 ? "127.0.0.1" : host;
        if (inet_pton(AF_INET, numeric, &v4.sin_addr) != 1)
                return false;
        ret_address->v4 = v4;
        ret_address->length = sizeof(v4);
        return true;
}

bool parse_v6(const char* host, in_port_t port, Address* ret_address) {
        sockaddr_in6 v6 = {};
        v6.sin6_family = AF_INET6;
        v6.sin6_port = port;
        if (inet_pton(AF_INET6, host, &v6.sin6_addr) != 1)
                return false;
        ret_address->v6 = v6;
        ret_address->length = sizeof(v6);
        return true;
}

}  // namespace

bool parse_tcp(const char* text, Address* ret_address) {
        if (!is_tcp(text))
                return false;
        const char* host = text + sizeof(kTcp) - 1;
        const bool v6 = *host == '[';
        host += v6 ? 1 : 0;
        const char* end = strchr(host, v6 ? ']' : ':');
        const char* colon = end != nullptr && v6 ? end + 1 : end;
        char name[INET6_ADDRSTRLEN] = "";
        in_port_t port = 0;
        if (colon == nullptr || *colon != ':' || !parse_port(colon + 1, &port) ||
            end - host >= INET6_ADDRSTRLEN)
                return false;
        memcpy(name, host, static_cast<std::size_t>(end - host));
        return v6 ? parse_v6(name, port, ret_address) : parse_v4(name, port, ret_address);
}

void describe(const Address& address, char (&ret_text)[kAddressText]) {
        char host[INET6_ADDRSTRLEN] = "?";
        switch (address.any.sa_family) {
        case AF_INET:
                inet_ntop(AF_INET, &address.v4.sin_addr, host, sizeof(host));
                snprintf(ret_text, sizeof(ret_text), "tcp:%s:%u", host,
                         unsigned{ntohs(address.v4.sin_port)});
                break;
        case AF_INET6:
                inet_ntop(AF_INET6, &address.v6.sin6_addr, host, sizeof(host));
                snprintf(ret_text, sizeof(ret_text), "tcp:[%s]:%u", host,
                         unsigned{ntohs(address.v6.sin6_port)});
                break;
        default:
                snprintf(ret_text, sizeof(ret_text), "%s", address.local.sun_path);
        }
}

Addresses::Addresses(const char* given, const char* runtime_directory) {
        if (given == nullptr) {
                add_path("/run", "/governord/governord.sock");
                if (runtime_directory != nullptr && runtime_directory[0] == '/')
                        add_path(runtime_directory, "/governord/governord.sock");
        } else if (is_tcp(given)) {
                count_ = parse_tcp(given, &list_[0]) ? 1 : 0;
        } else {
                add_path("", given);
        }
        if (count_ > 0 || given == nullptr)
                return;
        error_ = *given == '\0' || is_tcp(given) ? -EINVAL : -ENAMETOOLONG;
        snprintf(refused_, sizeof(refused_), "%s", given);
}

void Addresses::add_path(const char* directory, const char* name) {
        sockaddr_un local = {};
        local.sun_family = AF_UNIX;
        auto& path = local.sun_path;
        const auto length = snprintf(path, sizeof(path), "%s%s", directory, name);
        if (length <= 0 || static_cast<std::size_t>(length) >= sizeof(path))
                return;
        list_[count_].local = local;
        list_[count_].length = sizeof(local);
        count_++;
}

}  // namespace threadcount
