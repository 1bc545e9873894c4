// SPDX-License-Identifier: MIT
//
// The part of the record that runs only when the team size changes.
#include "team_record.hpp"

#include <algorithm>

#include "clock.hpp"

namespace examples {
namespace {

constexpr std::size_t kMostChanges = 1000;

}  // namespace

TeamRecord::TeamRecord() { changes_.reserve(kMostChanges); }

void TeamRecord::change(int threads, double region_seconds) {
        auto place = std::lower_bound(
                teams_.begin(), teams_.end(), threads,
                [](const TeamCount& team, int size) { return team.threads < size; });

        if (place == teams_.end() || place->threads != threads)
                place = teams_.insert(place, TeamCount{threads, 0});
        current_ = static_cast<std::size_t>(place - teams_.begin());
        threads_ = threads;

        if (changes_.size() < kMostChanges)
                changes_.push_back({monotonic_ms() - region_seconds * 1e3, threads});
        else
                ++changes_dropped_;
}

}  // namespace examples
