// SPDX-License-Identifier: MIT
//
// Tells the service manager, on a timer of its own, that the daemon does its work, and what it
// sees.
#pragma once

#include "server/journal/throttle.hpp"
#include "server/kernel/event_loop.hpp"

#include <functional>
#include <string>

namespace governor::server {

class Liveness {
public:
        /// Every 500 ms: the watchdog is told if `is_sampling`, and once in 5 s the status line if
        /// it has changed. Without a service manager there is no timer. `loop` must outlive this.
        Liveness(EventLoop& loop, std::function<bool()> is_sampling,
                 std::function<std::string()> status);

        /// Tells the status line now, if it has changed.
        void tell_status();

private:
        void tick();

        std::function<bool()> is_sampling_;
        std::function<std::string()> status_;
        std::string told_;
        TimePoint tell_next_;
        Throttle withheld_log_;
        EventSource timer_;
};

}  // namespace governor::server
