// SPDX-License-Identifier: MIT
//
// Lets clients in, whichever socket they come by.
#pragma once

#include "server/connections/listener.hpp"
#include "server/journal/throttle.hpp"
#include "server/kernel/event_loop.hpp"

#include <functional>
#include <list>
#include <string_view>

namespace governor::server {

class Acceptor {
public:
        /// `on_arrival` gets every client; what it throws as std::system_error counts as "no more
        /// descriptors". `loop` must outlive this.
        Acceptor(EventLoop& loop, std::function<void(Arrival)> on_arrival)
                : loop_(loop), on_arrival_(std::move(on_arrival)) {}
        Acceptor(const Acceptor&) = delete;
        Acceptor& operator=(const Acceptor&) = delete;
        ~Acceptor();

        void open(Listener listener);
        /// Clients that came by it stay.
        void close(std::string_view name);

private:
        struct Door {
                Listener listener;
                SocketSource source;
        };

        void let_in(const Door& door);
        void pause(int error);
        void go_on();

        EventLoop& loop_;
        std::function<void(Arrival)> on_arrival_;
        std::list<Door> doors_;
        EventSource again_;  // armed while there are no descriptors left
        Throttle problems_;
};

}  // namespace governor::server
