// SPDX-License-Identifier: MIT
//
// Requests of programs that hold leases, and of people that want to know about them.
#pragma once

#include "server/connections/connection.hpp"
#include "server/connections/peer.hpp"
#include "server/sharing/governor.hpp"

#include <governor/v1/governor.pb.h>
#include <optional>
#include <string>

namespace governor::server {

/// Empty: it is about something else. `peer` is on this host. A request that does not concern the
/// peer is refused, and changes nothing.
[[nodiscard]] std::optional<Answer> answer_about_leases(const v1::Request& request,
                                                        const Peer& peer, Governor& governor);

/// The label under which the governor knows a program that says this one.
[[nodiscard]] std::string known_label(const std::string& said);

}  // namespace governor::server
