// SPDX-License-Identifier: MIT
//
// Which team sizes the regions had, and when they changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace examples {

struct TeamCount {
        int threads;
        std::uint64_t regions;
};

struct TeamChange {
        double at_ms;  ///< when the first region of that size began, CLOCK_MONOTONIC
        int threads;
};

class TeamRecord {
public:
        TeamRecord();

        /// Notes a region that has just ended. A comparison and a sum unless the size changed.
        void note(int threads, double region_seconds) {
                if (threads != threads_)
                        change(threads, region_seconds);
                ++teams_[current_].regions;
        }

        /// Sorted by threads.
        [[nodiscard]] const std::vector<TeamCount>& teams() const { return teams_; }
        /// The first is the first region; the later ones are dropped when there are too many.
        [[nodiscard]] const std::vector<TeamChange>& changes() const { return changes_; }
        [[nodiscard]] std::uint64_t changes_dropped() const { return changes_dropped_; }

private:
        void change(int threads, double region_seconds);

        std::vector<TeamCount> teams_;
        std::vector<TeamChange> changes_;
        std::uint64_t changes_dropped_ = 0;
        std::size_t current_ = 0;  // index in teams_
        int threads_ = 0;
};

}  // namespace examples
