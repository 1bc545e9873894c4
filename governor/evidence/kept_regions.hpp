// SPDX-License-Identifier: MIT
//
// Remembers the regions of a program that keeps its teams, and whether it rests between them. Pure;
// time is an argument.
#pragma once

#include "evidence/occupancy.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace governor::evidence {

/// Samples do not tell when such a program rests: most of them find it parked for a part of their
/// time. Its reports do.
class KeptRegions {
public:
        /// `wants_to_run`: it has begun a region since the last report, or waits for one.
        void report(const Report& report, bool wants_to_run, TimePoint now);
        /// How long those took, on average, that had ended between two reports. A minute at most.
        /// 0: none has ended yet.
        [[nodiscard]] std::chrono::nanoseconds length() const { return length_; }
        /// It has been in no region, and waited for none, since then. Empty: it is in one, or
        /// waits.
        [[nodiscard]] std::optional<TimePoint> outside_since() const { return outside_since_; }
        /// So it has been for numbers::kPoll.
        [[nodiscard]] bool rests() const { return rests_; }

private:
        std::uint64_t ended_ = 0;  // at the last report that told of an end
        std::uint64_t ended_ns_ = 0;
        std::chrono::nanoseconds length_{0};
        std::optional<TimePoint> outside_since_;
        bool rests_ = false;
};

}  // namespace governor::evidence
