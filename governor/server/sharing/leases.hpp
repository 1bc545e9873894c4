// SPDX-License-Identifier: MIT
//
// The lease that each program holds: by which connections, where in shared memory, until when.
#pragma once

#include "policy/fair/snapshot.hpp"
#include "server/connections/peer.hpp"
#include "server/kernel/event_loop.hpp"
#include "server/kernel/unique_fd.hpp"
#include "server/sharing/arenas.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <system_error>
#include <unordered_map>

namespace governor::server {

using policy::fair::ProgramId;

/// A process, for as long as this lives: its number is not another one's meanwhile unnoticed.
struct Process {
        std::uint32_t pid = 0;
        UniqueFd fd;  ///< pidfd: readable when it has ended
};

/// The process that connected by `peer`. The error is ESRCH's where it has gone, or cannot be seen
/// from here; else there are no descriptors or no memory left.
[[nodiscard]] tl::expected<Process, std::error_code> open_process(const Peer& peer);

/// The same by the process's number, for kernels that do not tell more (before Linux 6.5). It is
/// the process that has the number now, if it had started before the connection was let in.
[[nodiscard]] tl::expected<Process, std::error_code> open_process_by_number(const Peer& peer);

struct Lease {
        ProgramId id{};
        policy::Account account;
        std::uint32_t pid = 0;
        std::uint32_t uid = 0;  ///< as which the process connected
        /// The time at which the connection was let in that made it: see Peer.
        std::chrono::nanoseconds arrived{0};
        Place place{};
        /// The program's epochs in its slot are those in the registry plus this.
        std::uint32_t epoch_offset = 0;
        /// CPUs on which it says that it may run beyond what its threads' masks show, since they
        /// are bound; empty: they show all.
        policy::CpuMask affinity = {};
};

class Leases {
public:
        using OnEnd = std::function<void(const Lease&)>;

        /// `on_end` is told of every lease that ends, while it is still there.
        Leases(EventLoop& loop, OnEnd on_end) : loop_(loop), on_end_(std::move(on_end)) {}

        /// One for a process that holds none. Throws std::system_error if the kernel refuses to
        /// watch it.
        Lease& add(const Lease& lease, Process process, int connection);
        /// The lease of its process is also this connection's from now on.
        void share(Lease& lease, int connection);
        /// This connection, which has a lease, is to be told when its turn comes.
        void let_wait(int connection);
        /// Calls `visit` with each that is, of this lease.
        template <class Visit>
        void for_each_waiting(const Lease& lease, Visit visit) const {
                for (const int connection : seats_.at(lease.id).waiting)
                        visit(connection);
        }

        /// nullptr: none.
        [[nodiscard]] Lease* of_connection(int connection);
        /// Ends the lease of a process that has ended.
        [[nodiscard]] Lease* of_process(std::uint32_t pid);
        [[nodiscard]] Lease* find(ProgramId id);

        /// The last connection ends the lease.
        void leave(int connection);
        /// Its connections have none from now on.
        void end(ProgramId id);
        void end_all();

        [[nodiscard]] std::size_t size() const { return seats_.size(); }
        template <class Visit>
        void for_each(Visit visit) {
                for (auto& [id, seat] : seats_)
                        visit(seat.lease);
        }

private:
        struct Seat {
                Lease lease;
                Process process;
                SocketSource source = {};
                std::set<int> connections = {};
                std::set<int> waiting = {};  // of these, are told when its turn comes
        };

        EventLoop& loop_;
        OnEnd on_end_;
        std::map<ProgramId, Seat> seats_;
        std::unordered_map<int, ProgramId> by_connection_;
        std::unordered_map<std::uint32_t, ProgramId> by_pid_;
};

}  // namespace governor::server
