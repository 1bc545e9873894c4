// SPDX-License-Identifier: MIT
// Blocking flows along shortest paths.
#include "simulation/world/flow.hpp"

#include <algorithm>
#include <limits>

namespace simulation {

void Flow::reset(std::size_t nodes) {
        target_.clear();
        capacity_.clear();
        flow_.clear();
        if (halves_.size() < nodes)
                halves_.resize(nodes);
        for (auto& halves : halves_)
                halves.clear();
        level_.assign(halves_.size(), -1);
        next_.assign(halves_.size(), 0);
}

std::size_t Flow::add_arc(std::size_t from, std::size_t to, double capacity) {
        const auto half = target_.size();
        target_.insert(target_.end(), {to, from});
        capacity_.insert(capacity_.end(), {capacity, 0.0});
        flow_.insert(flow_.end(), {0.0, 0.0});
        halves_[from].push_back(half);
        halves_[to].push_back(half + 1);
        return half / 2;
}

bool Flow::find_levels(std::size_t source, std::size_t sink) {
        std::ranges::fill(level_, -1);
        level_[source] = 0;
        queue_.assign(1, source);
        for (std::size_t i = 0; i < queue_.size(); i++)
                for (const auto half : halves_[queue_[i]])
                        if (level_[target_[half]] < 0 && room(half) > kTiny) {
                                level_[target_[half]] = level_[queue_[i]] + 1;
                                queue_.push_back(target_[half]);
                        }
        return level_[sink] >= 0;
}

double Flow::push(std::size_t node, std::size_t sink, double most) {
        if (node == sink)
                return most;
        double pushed = 0;
        for (auto& i = next_[node]; i < halves_[node].size(); i++) {
                const auto half = halves_[node][i];
                const auto to = target_[half];
                if (level_[to] != level_[node] + 1 || room(half) <= kTiny)
                        continue;
                const double through = push(to, sink, std::min(most - pushed, room(half)));
                flow_[half] += through;
                flow_[half ^ 1] -= through;
                pushed += through;
                if (most - pushed <= kTiny)
                        return pushed;
        }
        return pushed;
}

double Flow::run(std::size_t source, std::size_t sink) {
        std::ranges::fill(flow_, 0.0);
        double total = 0;
        while (find_levels(source, sink)) {
                std::ranges::fill(next_, 0);
                const double pushed = push(source, sink, std::numeric_limits<double>::infinity());
                if (pushed <= kTiny)
                        break;
                total += pushed;
        }
        return total;
}

}  // namespace simulation
