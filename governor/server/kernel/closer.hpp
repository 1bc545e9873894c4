// SPDX-License-Identifier: MIT
//
// Closes sockets of clients, in threads that may hang. Descriptors that a client has sent with a
// message and nobody has received (SCM_RIGHTS) are closed by the thread that closes the socket.
// This can take as long as the client likes: a TCP socket that lingers, a large memfd, a file of a
// file system in user space.
#pragma once

#include "policy/account.hpp"
#include "server/kernel/unique_fd.hpp"

#include <cstddef>
#include <memory>

namespace governor::server {

/// Not thread-safe itself. At most one thread works for an account, so that what hangs keeps no
/// other account's sockets open. At most kMostThreads are started, when they are needed; a waiting
/// close is interrupted after kPatience, where the kernel lets it (tcp_close() does).
class Closer {
public:
        static constexpr std::size_t kMostThreads = 64;
        static constexpr long kPatience_ns = 200'000;

        Closer();
        Closer(const Closer&) = delete;
        Closer& operator=(const Closer&) = delete;
        /// Does not wait. The rest is closed by the threads, or by the end of the process.
        ~Closer();

        /// Shuts the socket down at once, which tells its other end, unless that `has_gone`; closes
        /// it soon, at best after a millisecond. Takes a lock and may wake a thread: about 10 us. A
        /// socket that cannot hold descriptors is closed here. It waits until a thread can be
        /// started, if none can.
        void close(UniqueFd socket, const policy::Account& account, bool has_gone = false);

        /// Descriptors that are still open: of all accounts, and of one.
        [[nodiscard]] std::size_t pending() const;
        [[nodiscard]] std::size_t pending(const policy::Account& account) const;

private:
        struct Work;
        std::shared_ptr<Work> work_;  // shared with the threads, which may outlive this
};

}  // namespace governor::server
