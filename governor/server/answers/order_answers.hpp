// SPDX-License-Identifier: MIT
//
// Orders of people: set, pause and resume.
#pragma once

#include "server/connections/peer.hpp"
#include "server/sharing/governor.hpp"

#include <governor/v1/governor.pb.h>
#include <optional>

namespace governor::server {

/// Empty: it is no order. `peer` is on this host. An order that the peer may not give, or that is
/// out of range, is refused and changes nothing.
[[nodiscard]] std::optional<v1::Reply> answer_order(const v1::Request& request, const Peer& peer,
                                                    Governor& governor);

}  // namespace governor::server
