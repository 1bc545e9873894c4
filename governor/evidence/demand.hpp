// SPDX-License-Identifier: MIT
//
// How many CPUs a client can make use of, from what it did with those it has.
#pragma once

#include "evidence/foreign_load.hpp"
#include "policy/numbers.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>

namespace governor::evidence {

using policy::TimePoint;

/// What a client did over the last period.
struct Usage {
        /// What it could use all that time: the least of its grants, of those that it knew of.
        std::uint32_t granted = 1;
        std::uint32_t burn_millicpu = 0;  ///< CPU time per second
        bool in_region = false;           ///< in a parallel region now
        bool stopped = false;             ///< by a signal or a debugger
        /// Of all CPUs that it may run on: it could have burned this, too. Not known: a lot.
        std::uint32_t idle_millicpu = std::numeric_limits<std::uint32_t>::max();
};

/// A client that keeps its CPUs busy can use more than it has; one that does not is held to its
/// peak of the last kHold, with half as much to spare. Idle is one that is stopped; and one that
/// for kIdle has been in a region with less than a tenth of its CPUs busy, or outside of regions
/// with no more than its one thread busy (with a single CPU granted, where that looks like work:
/// less than a tenth of it). Who wakes again and again shakes his neighbours each time: after the
/// second time within kHold it takes him kIdleAgain, stopped or not. Pure: time is an argument.
class Demand {
public:
        void add(const Usage& usage, TimePoint now);

        /// A signal or a debugger has stopped it, as is seen between two calls of add().
        void stopped(TimePoint now);

        /// Between two calls of add() it was seen to have burned next to nothing since `since`.
        /// True: it is idle from now on; kLasting is enough, kIdleAgain if it woke within kMemory.
        bool quiet(TimePoint since, TimePoint now);

        /// It has begun a region: no longer idle. What it did while it was idle says nothing about
        /// what it wants now.
        void woke(TimePoint now);

        [[nodiscard]] bool idle() const { return idle_; }

        /// >= 1; 0: not known, or all that it may have.
        [[nodiscard]] std::uint32_t wants() const;

private:
        struct Peak {
                TimePoint at;
                std::uint32_t wants;
        };

        [[nodiscard]] bool is_low(const Usage& usage) const;
        [[nodiscard]] std::chrono::milliseconds patience_of_stopped(TimePoint now) const;
        void goes_on(TimePoint now);

        bool idle_ = false;
        std::optional<TimePoint> low_since_;
        std::optional<TimePoint> woke_at_;
        std::chrono::milliseconds patience_ = numbers::kWindow;  // low for so long is idle
        std::deque<Peak> peaks_;  // within kMemory; decreasing, so the front is the highest
};

}  // namespace governor::evidence
