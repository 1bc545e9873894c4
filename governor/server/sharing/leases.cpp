// SPDX-License-Identifier: MIT
// Connections and processes that come to an end.
#include "server/sharing/leases.hpp"

#include "probe/file_reader.hpp"
#include "probe/pid_stat.hpp"
#include "probe/process_clock.hpp"

#include <cerrno>
#include <optional>
#include <poll.h>
#include <string>
#include <string_view>
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

/// The kernel's own word for the other end, which nobody can have taken the number of. Empty: see
/// errno.
UniqueFd peer_pidfd(int connection) {
        int fd = -1;
        socklen_t size = sizeof(fd);
        return ::getsockopt(connection, SOL_SOCKET, kPeerPidfd, &fd, &size) == 0 ? UniqueFd(fd)
                                                                                 : UniqueFd();
}

/// After boot, rounded down to a tick. Empty: it is gone, or cannot be seen.
std::optional<std::chrono::nanoseconds> start_of(std::uint32_t pid) {
        probe::FileReader file;
        std::string_view text;
        // Reads its first thread: the kernel adds nothing up for that, however many threads there
        // are.
        const auto number = std::to_string(pid);
        if (file.read_short("/proc/" + number + "/task/" + number + "/stat", text) < 0)
                return std::nullopt;
        const auto stat = probe::parse_pid_stat(text);
        if (!stat)
                return std::nullopt;
        return probe::ticks_to_time(stat->started_ticks,
                                    static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK)));
}

bool is_shortage(int error) {
        return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOSPC;
}

/// A signal in between says nothing: the question is asked again. Another error counts as the end,
/// since the number may be another process's.
bool has_ended(int pidfd) {
        pollfd ended{pidfd, POLLIN, 0};
        int n = 0;
        do
                n = ::poll(&ended, 1, 0);
        while (n < 0 && errno == EINTR);
        return n != 0;
}

/// Why there is no pidfd; EINVAL is the kernel's word, too, for a process that has gone.
tl::unexpected<std::error_code> no_process(int error) {
        return tl::unexpected(
                std::error_code(is_shortage(error) ? error : ESRCH, std::system_category()));
}

}  // namespace

tl::expected<Process, std::error_code> open_process(const Peer& peer) {
        if (peer.pid == 0)
                return no_process(ESRCH);
        auto fd = peer_pidfd(peer.connection);
        if (!fd)
                return errno == ENOPROTOOPT ? open_process_by_number(peer) : no_process(errno);
        if (has_ended(fd.get()))
                return no_process(ESRCH);
        return Process{peer.pid, std::move(fd)};
}

tl::expected<Process, std::error_code> open_process_by_number(const Peer& peer) {
        UniqueFd fd(static_cast<int>(::syscall(SYS_pidfd_open, peer.pid, 0)));
        if (!fd)
                return no_process(errno);
        const auto start = start_of(peer.pid);
        // The number is its own while it lives: it was this one's start that was read.
        if (!start || *start > peer.arrived || has_ended(fd.get()))
                return no_process(ESRCH);
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

void Leases::let_wait(int connection) {
        seats_.at(by_connection_.at(connection)).waiting.insert(connection);
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

Lease* Leases::find(ProgramId id) {
        const auto found = seats_.find(id);
        return found != seats_.end() ? &found->second.lease : nullptr;
}

void Leases::leave(int connection) {
        const auto found = by_connection_.find(connection);
        if (found == by_connection_.end())
                return;
        const auto id = found->second;
        by_connection_.erase(found);
        auto& seat = seats_.at(id);
        seat.connections.erase(connection);
        seat.waiting.erase(connection);
        if (seat.connections.empty())
                end(id);
}

void Leases::end_all() {
        while (!seats_.empty())
                end(seats_.begin()->first);
}

void Leases::end(ProgramId id) {
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
