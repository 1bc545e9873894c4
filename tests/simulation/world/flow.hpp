// SPDX-License-Identifier: MIT
//
// Maximum flow through a small network, with real capacities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simulation {

/// Dinitz 1970. Differences below kTiny count as nothing. Not thread-safe; may be used again and
/// again, which keeps its memory.
class Flow {
public:
        static constexpr double kTiny = 1e-9;

        /// Forgets all arcs; nodes are 0 .. nodes - 1.
        void reset(std::size_t nodes);

        /// Returns the number by which the arc is asked about.
        std::size_t add_arc(std::size_t from, std::size_t to, double capacity);
        void set_capacity(std::size_t arc, double capacity) { capacity_[arc * 2] = capacity; }
        [[nodiscard]] double capacity(std::size_t arc) const { return capacity_[arc * 2]; }

        /// Pushes as much as possible, beginning with no flow. Returns how much that is.
        double run(std::size_t source, std::size_t sink);

        [[nodiscard]] double on(std::size_t arc) const { return flow_[arc * 2]; }
        /// After run(): `node` is on the source's side of the minimum cut nearest to the source.
        [[nodiscard]] bool reached(std::size_t node) const { return level_[node] >= 0; }

private:
        bool find_levels(std::size_t source, std::size_t sink);
        double push(std::size_t node, std::size_t sink, double most);
        [[nodiscard]] double room(std::size_t half) const { return capacity_[half] - flow_[half]; }

        // Half 2a is arc a, half 2a + 1 the way back.
        std::vector<std::size_t> target_;
        std::vector<double> capacity_;
        std::vector<double> flow_;
        std::vector<std::vector<std::size_t>> halves_;  // that leave a node
        std::vector<std::int32_t> level_;
        std::vector<std::size_t> next_;
        std::vector<std::size_t> queue_;
};

}  // namespace simulation
