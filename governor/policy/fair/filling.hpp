// SPDX-License-Identifier: MIT
//
// Progressive filling: CPUs go one by one to whoever is furthest behind, as long as somebody can
// take one.
#pragma once

#include "policy/fair/capacity.hpp"
#include "policy/fair/snapshot.hpp"

#include <cstdint>
#include <vector>

namespace governor::policy::fair {

/// The part that one client takes.
struct Claim {
        bool takes_part = false;
        std::uint32_t start = 0;       ///< it has these already; they are in the Capacity
        std::uint32_t guaranteed = 0;  ///< filled up to this before the shares of accounts
        std::uint32_t wants = 0;       ///< filled up to this first
        std::uint32_t limit = 0;       ///< and to this with what nobody wants
};

/// Weighted max-min over what `capacity` allows: in this order to what is guaranteed, to what they
/// want, to their limits. The next CPU goes to the account with fewest CPUs, those of its foreign
/// load among them (Classes::foreign_of()). Within the account it goes to the tree, and within the
/// tree to the client, whose (CPUs + 1/2) / weight is lowest (Webster's divisor method). Trees and
/// clients below their minimum come first. Ties among these go to the one that holds the CPU
/// already (unless it has a gang: what it holds is no share), then to the one that joined first. A
/// client that is in no tree is one of its own, with its own weight and minimum. Greedy is optimal
/// for this: A. Federgruen, H. Groenevelt, "The Greedy Procedure for Resource Allocation Problems",
/// Operations Research 34 (1986). Returns CPUs by client. O((CPUs + clients) x log clients) takes.
[[nodiscard]] std::vector<std::uint32_t> fill(Capacity& capacity, const Snapshot& snapshot,
                                              const std::vector<Claim>& claims);

}  // namespace governor::policy::fair
