// SPDX-License-Identifier: MIT
//
// A program with a lease, as far as somebody may know of it.
#pragma once

#include "server/connections/peer.hpp"
#include "server/sharing/governor.hpp"

#include <cstdint>
#include <governor/v1/governor.pb.h>
#include <tl/expected.hpp>

namespace governor::server {

/// Its user, the owner of its account, and root.
[[nodiscard]] bool may_know(const Peer& peer, const registry::Program& program);

/// One system call, for what `peer` may know only.
void fill(v1::Client& out, const registry::Program& program, const Peer& peer, Governor& governor);

/// The program of process `pid`, or the holder of the tree that it is in; never nullptr. The error
/// is a Reply: a user that may not know of a process is not told whether it holds a lease, either.
[[nodiscard]] tl::expected<const registry::Program*, v1::Reply>
visible(std::uint32_t pid, const Peer& peer, Governor& governor);

}  // namespace governor::server
