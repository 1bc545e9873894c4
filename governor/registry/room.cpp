// SPDX-License-Identifier: MIT
// One account, dealt out CPU by CPU.
#include "registry/room.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <tuple>

namespace governor::registry {

namespace {

/// The smallest one is served next, as in policy::fair::fill().
struct Turn {
        bool has_minimum;
        double level;
        std::size_t index;

        friend bool operator>(const Turn& a, const Turn& b) {
                return std::tie(a.has_minimum, a.level, a.index) >
                       std::tie(b.has_minimum, b.level, b.index);
        }
};

}  // namespace

std::uint32_t Room::share_beside(std::span<const std::uint32_t> promised) const {
        auto all = parts;
        for (const auto threads : promised)
                all.push_back({threads});
        all.push_back({cpus});
        std::vector<std::uint32_t> given(all.size());
        auto left = cpus;
        for (std::size_t i = 0; i < all.size(); i++) {
                given[i] = std::min({all[i].guaranteed, all[i].cpus, left});
                left -= given[i];
        }
        std::priority_queue<Turn, std::vector<Turn>, std::greater<>> queue;
        const auto line_up = [&](std::size_t i) {
                if (given[i] < all[i].cpus)
                        queue.push({given[i] >= all[i].min, (given[i] + 0.5) / all[i].weight, i});
        };
        for (std::size_t i = 0; i < all.size(); i++)
                line_up(i);
        for (; left > 0 && !queue.empty(); left--) {
                const auto next = queue.top().index;
                queue.pop();
                given[next]++;
                line_up(next);
        }
        return std::max(given.back(), 1U);
}

}  // namespace governor::registry
