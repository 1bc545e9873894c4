// SPDX-License-Identifier: MIT
//
// The other end of a connection, as the kernel tells.
#pragma once

#include "policy/account.hpp"

#include <chrono>
#include <cstdint>

namespace governor::server {

struct Peer {
        int connection = -1;      ///< its descriptor, which names it as long as it is open
        policy::Account account;  ///< pays for the connection
        std::uint32_t pid = 0;    ///< of the process that connected; 0: over TCP, or in a pid
                                  ///< namespace beside ours
        /// When it was let in, after boot: a process that started later is another one of that
        /// number.
        std::chrono::nanoseconds arrived = std::chrono::nanoseconds::max();
};

}  // namespace governor::server
