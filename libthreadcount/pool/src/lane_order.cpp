// SPDX-License-Identifier: MIT
// Sorting, and counting by distance.
#include "lane_order.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace threadcount::pool {

namespace {

struct Ranked {
        LaneSite site;
        std::uint32_t rank;  // among the lanes of its core
};

bool by_core(const Ranked& a, const Ranked& b) {
        return std::tie(a.site.place.core, a.site.cpu) < std::tie(b.site.place.core, b.site.cpu);
}

bool by_rank(const Ranked& a, const Ranked& b) {
        const auto key = [](const Ranked& lane) {
                const auto& place = lane.site.place;
                return std::tie(lane.rank, place.node, place.package, place.l3, place.l2,
                                place.core, lane.site.cpu);
        };
        return key(a) < key(b);
}

bool is_shared(std::uint32_t a, std::uint32_t b) { return a == b && a != kUnknownGroup; }

}  // namespace

std::vector<LaneSite> order_lanes(std::span<const int> cpus, std::span<const Place> places) {
        std::vector<Ranked> lanes;
        lanes.reserve(cpus.size());
        for (std::size_t i = 0; i < cpus.size(); i++)
                lanes.push_back({{cpus[i], 0, places[i]}, 0});

        std::ranges::sort(lanes, by_core);
        std::uint32_t cores = 0;  // until the lanes have their indices, cores are numbered as met
        for (std::size_t i = 0; i < lanes.size(); i++) {
                const bool is_first =
                        i == 0 || lanes[i - 1].site.place.core != lanes[i].site.place.core;
                cores += is_first ? 1 : 0;
                lanes[i].site.core = cores - 1;
                lanes[i].rank = is_first ? 0 : lanes[i - 1].rank + 1;
        }

        std::ranges::sort(lanes, by_rank);
        std::vector<std::uint32_t> first_lane(cores);
        for (std::uint32_t lane = 0; lane < cores; lane++)  // one of each core, as they rank first
                first_lane[lanes[lane].site.core] = lane;
        std::vector<LaneSite> sites;
        sites.reserve(lanes.size());
        for (const auto& lane : lanes) {
                sites.push_back(lane.site);
                sites.back().core = first_lane[lane.site.core];
        }
        return sites;
}

Distance distance(const Place& a, const Place& b) {
        if (a.core == b.core)
                return Distance::Core;
        if (a.l2 == b.l2)
                return Distance::L2;
        const bool same_l3 = is_shared(a.l3, b.l3);
        if (same_l3 && a.node == b.node)
                return Distance::L3;
        if (same_l3 || is_shared(a.node, b.node))
                return Distance::Node;
        return is_shared(a.package, b.package) ? Distance::Package : Distance::Machine;
}

std::vector<std::uint16_t> steal_order(std::span<const LaneSite> lanes, std::size_t thief) {
        const auto for_each_other = [&](auto visit) {
                for (std::size_t step = 1; step < lanes.size(); step++) {
                        const auto lane = (thief + step) % lanes.size();
                        visit(lane, static_cast<std::size_t>(
                                            distance(lanes[thief].place, lanes[lane].place)));
                }
        };
        std::array<std::size_t, kDistances + 1> next{};  // where the next one as far away goes
        for_each_other([&](std::size_t, std::size_t distance) { next[distance + 1]++; });
        for (std::size_t i = 1; i < next.size(); i++)
                next[i] += next[i - 1];
        std::vector<std::uint16_t> order(lanes.empty() ? 0 : lanes.size() - 1);
        for_each_other([&](std::size_t lane, std::size_t distance) {
                order[next[distance]++] = static_cast<std::uint16_t>(lane);
        });
        return order;
}

}  // namespace threadcount::pool
