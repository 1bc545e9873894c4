// SPDX-License-Identifier: MIT
//
// All clients that are connected: served in turn, each account within its limits.
#pragma once

#include "server/connections/accounts.hpp"
#include "server/connections/connection.hpp"
#include "server/connections/peer.hpp"
#include "server/journal/throttle.hpp"
#include "server/kernel/closer.hpp"
#include "server/kernel/event_loop.hpp"

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace governor::server {

class Connections {
public:
        /// The same as MessageHandler, for a client.
        using Handler =
                std::function<std::optional<Answer>(std::string_view message, const Peer& peer)>;
        using OnGone = std::function<void(const Peer& peer)>;

        /// `most`: descriptors for all accounts together. `on_gone` is told of every connection
        /// that ends. `loop` must outlive this.
        Connections(EventLoop& loop, std::size_t most, Handler handler, OnGone on_gone = {});
        Connections(const Connections&) = delete;
        Connections& operator=(const Connections&) = delete;
        ~Connections();

        /// A client that its account has no room for is disconnected at once. Throws
        /// std::system_error, and disconnects it, if the kernel refuses to watch `fd`, or if
        /// half of all descriptors waits to be closed.
        void add(UniqueFd fd, const policy::Account& account, std::uint32_t pid = 0);

        /// The connection counts twice from now on. Its process's lease costs a descriptor, too
        /// (pidfd). Those that come with a welcome, which nobody may ever receive, are as many as
        /// there may be of them (unix(7), ETOOMANYREFS). False: its account has no room for it.
        [[nodiscard]] bool admit_lease(int connection);
        /// See Connection::tell().
        void tell(int connection, const std::string& reply);
        /// Notes how many descriptors are taken by other things than clients.
        void set_aside(std::size_t descriptors) { aside_ = descriptors; }

        [[nodiscard]] std::size_t size() const { return clients_.size(); }
        /// Connections that ended, but whose descriptor is still open.
        [[nodiscard]] std::size_t closing() const { return closer_.pending(); }
        /// Connections ended for what was sent, or for not going on with it.
        [[nodiscard]] std::uint64_t misbehaved() const { return misbehaved_; }
        /// Connections that were refused because of their account's limit.
        [[nodiscard]] std::uint64_t refused() const { return refused_; }

private:
        using Queue = std::list<int>;  // descriptors; first come, first served

        struct Client {
                Seat seat;
                std::uint32_t pid;
                Connection connection;
                SocketSource source;
                std::optional<Seat> lease = {};
                std::optional<Queue::iterator> place = {};   // if it waits for another turn
                std::optional<std::uint64_t> stuck_at = {};  // its progress at the last sweep
        };

        /// Before an account is admitted. Returns how many sockets wait to be closed.
        std::size_t set_aside_what_closes();
        void refuse(const policy::Account& account);
        void on_event(int fd, std::uint32_t epoll_events);
        void serve(int fd, Client& client);
        void serve_waiting(const policy::Account& account, Queue& queue, TimePoint until);
        void wait(int fd, Client& client);
        [[nodiscard]] bool may_go_on(const policy::Account& account) const;
        void leave_queue(Client& client);
        void drop(int fd, bool misbehaved);
        void go_on();
        void sweep();

        EventLoop& loop_;
        std::size_t most_;
        std::size_t aside_ = 0;
        Handler handler_;
        OnGone on_gone_;
        Closer closer_;
        Accounts accounts_;
        std::unordered_map<int, Client> clients_;  // by descriptor
        std::map<policy::Account, Queue> waiting_;
        policy::Account last_;  // of waiting_, that had its turn
        std::size_t left_ = 0;  // since the last sweep
        std::uint64_t misbehaved_ = 0;
        std::uint64_t refused_ = 0;
        Throttles misbehaved_log_;
        Throttles refused_log_;
        EventSource go_on_timer_;  // armed while somebody waits
        EventSource sweep_timer_;
};

}  // namespace governor::server
