// SPDX-License-Identifier: MIT
//
// The places where clients come in: a path, a TCP port, or what systemd has opened for us.
#pragma once

#include "config/tcp_address.hpp"
#include "server/kernel/unique_fd.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace governor::server {

/// A client that has just connected.
struct Arrival {
        UniqueFd fd;                       ///< non-blocking
        std::optional<std::uint32_t> uid;  ///< its user, told by the kernel; empty: over TCP
        std::uint32_t pid = 0;             ///< 0: over TCP, or in a pid namespace beside ours
};

/// The part that has to be undone in the file system when a listener goes.
class BoundPath;

/// A listening stream socket.
class Listener {
public:
        /// Takes over `socket`, which listens, and makes it non-blocking.
        explicit Listener(UniqueFd socket);
        Listener(UniqueFd socket, std::unique_ptr<BoundPath> path);
        Listener(Listener&&) noexcept;
        Listener& operator=(Listener&&) noexcept;
        ~Listener();

        /// The next one in the backlog, or the errno of accept4(); EAGAIN: nobody waits.
        [[nodiscard]] tl::expected<Arrival, int> accept() const;

        [[nodiscard]] int fd() const { return socket_.get(); }
        /// The socket stays open until the process ends. To close it is to close what waits in its
        /// backlog, and what that holds: see Closer. At the end of a process nothing lingers.
        void leave_open() { (void)socket_.release(); }
        /// "/run/governord/governord.sock" or "127.0.0.1:7777"
        [[nodiscard]] const std::string& name() const { return name_; }

private:
        UniqueFd socket_;
        std::unique_ptr<BoundPath> path_;
        std::string name_;
        bool is_local_ = true;
};

/// The kernel caps it at net.core.somaxconn.
inline constexpr int kBacklog = 4096;

/// One sentence for the user.
using ListenResult = tl::expected<Listener, std::string>;

/// A Unix socket that every local user may connect to. Its path goes with it. A lock file beside
/// it (PATH.lock, stays) keeps two daemons from one path. Makes the socket's directory (mode 0755)
/// if only that is missing. A socket that a killed daemon has left behind is replaced,
/// one to which somebody listens is not.
[[nodiscard]] ListenResult listen_unix(const std::string& path);

/// Tells whether this process may open such a socket at all: in a sandbox without network it may
/// not. The error is one sentence.
[[nodiscard]] tl::expected<void, std::string> check_tcp(const config::TcpAddress& address);

/// Anybody that reaches the address may connect.
[[nodiscard]] ListenResult listen_tcp(const config::TcpAddress& address);

/// The sockets of a systemd socket unit ($LISTEN_FDS), if it has started us; else none. An error
/// if one of them is no listening stream socket. To be called once.
[[nodiscard]] tl::expected<std::vector<Listener>, std::string> inherited_listeners();

}  // namespace governor::server
