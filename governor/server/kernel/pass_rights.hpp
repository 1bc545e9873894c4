// SPDX-License-Identifier: MIT
//
// An option of Unix sockets that this system's headers need not know yet.
#pragma once

#include <sys/socket.h>

namespace governor::server {

/// The socket option that decides whether the other end may send descriptors (since Linux 6.16).
/// Connections have it of their listener, from when they are made.
#ifdef SO_PASSRIGHTS
inline constexpr int kPassRights = SO_PASSRIGHTS;
#else
inline constexpr int kPassRights = 83;
#endif

/// Nothing that could be a descriptor has ever come by this connection, or will. False also where
/// nobody can tell: an older kernel, which is asked once, or a TCP socket. Thread-safe; one
/// system call.
[[nodiscard]] bool refuses_descriptors(int socket);

}  // namespace governor::server
