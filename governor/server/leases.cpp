// SPDX-License-Identifier: MIT
// Connections and processes that come to an end.
#include "server/leases.hpp"

#include <cerrno>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace governor::server {

namespace {

#ifdef SO_PEERPIDFD
constexpr int kPeerPidfd = SO_PEERPIDFD;
#else
constexpr int kPeerPidfd = 77;  // since Linux 6.5
#endif

/// The kernel's own word for the other end, which nobody can have taken the number of. Where the
/// kernel does not know that question yet, the number has to do. Empty: see errno.
UniqueFd peer_pidfd(const Peer& peer) {
        int fd = -1;
        socklen_t size = sizeof(fd);
        if (::getsockopt(peer.connection, SOL_SOCKET, kPeerPidfd, &fd, &size) == 0)
                return UniqueFd(fd);
        return errno == ENOPROTOOPT
                       ? UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, peer.pid, 0)))
                       : UniqueFd();
}

bool is_shortage(int error) {
        return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOSPC;
}

bool has_ended(int pidfd) {
        pollfd ended{pidfd, POLLIN, 0};
        return ::poll(&ended, 1, 0) != 0;
}

}  // namespace

tl::expected<Process, std::error_code> open_process(const Peer& peer) {
        const auto gone = std::error_code(ESRCH, std::system_category());
        if (peer.pid == 0)
                return tl::unexpected(gone);
        auto fd = peer_pidfd(peer);
        if (!fd)  // EINVAL is the kernel's word, too, for one that has gone
                return tl::unexpected(
                        is_shortage(errno) ? std::error_code(errno, std::system_category()) : gone);
        if (has_ended(fd.get()))
                return tl::unexpected(gone);
        return Process{peer.pid, std::move(fd)};
}

Lease& Leases::add(const Lease& lease, Process process, int connection) {
        auto source = loop_.on_io(process.fd.get(), EPOLLIN,
                                  [this, id = lease.id](std::uint32_t) { end(id); });
        auto& seat = seats_.emplace(lease.id, Seat{lease, std::move(process)}).first->second;
        seat.source = std::move(source);
        by_pid_[lease.pid] = lease.id;
        share(seat.lease, connection);
        return seat.lease;
}

void Leases::share(Lease& lease, int connection) {
        seats_.at(lease.id).connections.insert(connection);
        by_connection_[connection] = lease.id;
}

Lease* Leases::of_connection(int connection) {
        const auto found = by_connection_.find(connection);
        return found != by_connection_.end() ? find(found->second) : nullptr;
}

Lease* Leases::of_process(std::uint32_t pid) {
        const auto found = by_pid_.find(pid);
        if (found == by_pid_.end())
                return nullptr;
        const auto id = found->second;
        if (!has_ended(seats_.at(id).process.fd.get()))
                return find(id);
        // Nobody has told us yet, and another process may have the number already.
        end(id);
        return nullptr;
}

Lease* Leases::find(ClientId id) {
        const auto found = seats_.find(id);
        return found != seats_.end() ? &found->second.lease : nullptr;
}

void Leases::leave(int connection) {
        const auto found = by_connection_.find(connection);
        if (found == by_connection_.end())
                return;
        const auto id = found->second;
        by_connection_.erase(found);
        auto& connections = seats_.at(id).connections;
        connections.erase(connection);
        if (connections.empty())
                end(id);
}

void Leases::end_all() {
        while (!seats_.empty())
                end(seats_.begin()->first);
}

void Leases::end(ClientId id) {
        auto& seat = seats_.at(id);
        on_end_(seat.lease);
        for (const int connection : seat.connections)
                by_connection_.erase(connection);
        by_pid_.erase(seat.lease.pid);
        // The source goes first: epoll must not keep a descriptor that is closed.
        auto node = seats_.extract(id);
        node.mapped().source = SocketSource();
}

}  // namespace governor::server
