// SPDX-License-Identifier: MIT
//
// Who is at the other end of a connection, as the kernel tells.
#pragma once

#include "policy/account.hpp"

#include <chrono>
#include <cstdint>

namespace governor::server {

struct Peer {
        int connection = -1;      ///< its descriptor, which names it as long as it is open
        policy::Account account;  ///< who pays for the connection
        std::uint32_t pid = 0;    ///< who connected; 0: over TCP, or from another pid namespace
        /// When it was let in, after boot: who has started later is another one of that number.
        std::chrono::nanoseconds arrived = std::chrono::nanoseconds::max();
};

}  // namespace governor::server
