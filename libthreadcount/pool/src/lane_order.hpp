// SPDX-License-Identifier: MIT
//
// The CPU of each lane, and the lanes from which it steals first. Pure.
#pragma once

#include "places.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace threadcount::pool {

/// A lane's CPU. Lanes with the same `core` share a physical core. The number is the index of the
/// first of them, so lanes with `core` equal to their own index are one per physical core.
struct LaneSite {
        int cpu = 0;
        std::uint32_t core = 0;
        Place place;
};

/// One lane for each of `cpus`, none of which comes twice; `places` has as many, in the same order.
/// All first hardware threads of cores come before all second ones and so on, counted among `cpus`
/// alone. A core of which only the second thread is there is as good as any. Equal ones are in the
/// order of node, package, third- and second-level cache, core, number. O(n log n).
[[nodiscard]] std::vector<LaneSite> order_lanes(std::span<const int> cpus,
                                                std::span<const Place> places);

/// The least that two CPUs share; the nearest first.
enum class Distance : std::uint8_t { Core, L2, L3, Node, Package, Machine };
inline constexpr std::size_t kDistances = 6;

/// Nothing unknown is shared. L3 is within one node; where one third-level cache serves several
/// nodes, those behind it in another node count as Node.
[[nodiscard]] Distance distance(const Place& a, const Place& b);

/// Each other lane once, the nearest first. Equally near ones begin with the next after `thief`, so
/// that not everybody robs the same. At most 65536 lanes. O(n).
[[nodiscard]] std::vector<std::uint16_t> steal_order(std::span<const LaneSite> lanes,
                                                     std::size_t thief);

}  // namespace threadcount::pool
