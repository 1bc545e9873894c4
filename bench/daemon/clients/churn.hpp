// SPDX-License-Identifier: MIT
//
// A stream of short leases, beside connections that are only held.
#pragma once

#include "descriptors.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct ChurnOptions {
        std::string governor;           ///< socket
        std::uint32_t connections = 0;  ///< held meanwhile; each has asked once
        std::uint32_t rate = 0;         ///< leases per second
        std::uint32_t seconds = 0;
};

struct Churned {
        std::uint64_t due = 0;
        std::uint64_t done = 0;              ///< hello, welcome, bye and its answer
        std::vector<std::int64_t> hello_ns;  ///< from when it was due, connecting included
        std::uint32_t held = 0;              ///< connections that are open at the end
        std::int64_t behind_ns = 0;          ///< how late the last one began
};

/// Connections that were answered once. Throws std::runtime_error.
[[nodiscard]] std::vector<UniqueFd> hold_connections(const std::string& governor,
                                                     std::uint32_t connections);

/// Connects, says hello, then bye, and closes, again and again at a fixed schedule: a late answer
/// moves no due time. Throws std::runtime_error when the governor refuses.
[[nodiscard]] Churned churn(const ChurnOptions& options, const std::vector<UniqueFd>& held);

}  // namespace bench
