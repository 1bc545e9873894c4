// SPDX-License-Identifier: MIT
//
// The events of programs, as the administrator is told of them.
#pragma once

#include "registry/history.hpp"
#include "registry/programs.hpp"
#include "server/journal/explain.hpp"
#include "server/journal/throttle.hpp"

#include <chrono>
#include <cstdint>
#include <functional>

namespace governor::server {

/// Follows a history into the log. Leases and grants are only logged at the level debug: a thousand
/// short programs per second are nothing to be told of. Orders of the administrator are always
/// logged; orders of a user that are refused, a few times a minute.
class Journal {
public:
        using TimePoint = std::chrono::steady_clock::time_point;

        /// Logs what was added since the last call. To be called after each change, as the history
        /// forgets. Costs nothing to speak of where little is logged.
        void follow(const registry::History& history, TimePoint now);

        /// A lease. `what` there is not enough of is asked only where it is logged.
        void refused(const registry::Identity& identity, const std::function<Shortage()>& what,
                     TimePoint now);

private:
        void tell(const registry::Event& event, TimePoint now);
        void tell_of_order(const registry::Event& event, TimePoint now);

        std::uint64_t next_ = 0;
        Throttles refused_;
        Throttles ordered_{20, 8};
};

}  // namespace governor::server
