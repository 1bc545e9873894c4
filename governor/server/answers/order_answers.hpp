// SPDX-License-Identifier: MIT
//
// What people order: set, pause and resume.
#pragma once

#include "server/connections/peer.hpp"
#include "server/sharing/governor.hpp"

#include <governor/v1/governor.pb.h>
#include <optional>

namespace governor::server {

/// Empty: it is no order. `peer` is on this host. What it may not, or what is out of range, is
/// refused and changes nothing.
[[nodiscard]] std::optional<v1::Reply> answer_order(const v1::Request& request, const Peer& peer,
                                                    Governor& governor);

}  // namespace governor::server
