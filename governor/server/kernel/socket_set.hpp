// SPDX-License-Identifier: MIT
//
// Sockets behind an epoll of their own, of which sd-event sees one descriptor. Before each single
// callback sd-event fetches everything that is ready. Thousands of sockets that are ready together
// (clients that leave at once) would cost the square of their number.
#pragma once

#include "server/kernel/unique_fd.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

namespace governor::server {

using SocketCallback = std::function<void(std::uint32_t epoll_events)>;

/// A socket that is watched until this goes, which may be from inside its own callback. The
/// descriptor must stay open for as long. Functions throw std::system_error if the kernel refuses.
class SocketSource {
public:
        SocketSource();
        SocketSource(SocketSource&&) noexcept;
        SocketSource& operator=(SocketSource&& other) noexcept;
        ~SocketSource();

        /// Hang-ups (EPOLLHUP) and errors are always told, also with 0.
        void set_io_events(std::uint32_t epoll_events);

private:
        friend class SocketSet;
        struct Watch;
        explicit SocketSource(std::shared_ptr<Watch> watch);
        std::shared_ptr<Watch> watch_;
};

/// Not thread-safe. Sources may outlive it.
class SocketSet {
public:
        SocketSet();
        ~SocketSet();
        SocketSet(const SocketSet&) = delete;
        SocketSet& operator=(const SocketSet&) = delete;

        [[nodiscard]] SocketSource watch(int fd, std::uint32_t epoll_events,
                                         SocketCallback callback);

        /// Readable when a socket is ready.
        [[nodiscard]] int fd() const;
        /// Calls back for a few of those that are ready.
        void dispatch() noexcept;

private:
        friend class SocketSource;
        struct Epoll;
        std::shared_ptr<Epoll> epoll_;
};

}  // namespace governor::server
