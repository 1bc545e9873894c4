// SPDX-License-Identifier: MIT
//
// Estimates the number of CPUs that a client can use, from what it did with those it has.
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

/// The activity of a client over the last period.
struct Usage {
        /// The CPUs that it could use all that time: the least of the grants that it knew of.
        std::uint32_t granted = 1;
        std::uint32_t burn_millicpu = 0;  ///< CPU time per second
        bool in_region = false;           ///< in a parallel region now
        bool stopped = false;             ///< by a signal or a debugger
        /// The idle time of all CPUs that it may run on: it could have burned this, too. Not known:
        /// a lot.
        std::uint32_t idle_millicpu = std::numeric_limits<std::uint32_t>::max();
        TimePoint since{};  ///< the period's begin
};

/// A client that keeps its CPUs busy can use more than it has. A client that does not is held to
/// its peak of the last kMemory, with half as much to spare. A period in which it did next to
/// nothing and began no region says nothing of what it wants in one. Neither does a period that
/// began as such a one ended, if its region goes on. A client is idle when it is stopped. It is
/// also idle when for kWindow it has been in a region with less than a tenth of its CPUs busy, or
/// outside of regions with no more than its one thread busy. (With a single CPU granted one busy
/// thread looks like work: there the limit is a tenth of the CPU.) Within kMemory of the time when
/// it was idle before, that takes kIdleAgain inside of a region; so does a stop, if it was idle
/// twice. Its neighbours would be disturbed each time. Pure: time is an argument.
class Demand {
public:
        void add(const Usage& usage, TimePoint now);

        /// A signal or a debugger has stopped it, as is seen between two calls of add().
        void stopped(TimePoint now);

        /// The client was seen, between two calls of add(), to have burned next to nothing since
        /// `since`. True: it is idle from now on. kLasting is enough for that, or kIdleAgain if it
        /// woke within kMemory.
        bool quiet(TimePoint since, TimePoint now);

        /// The client has begun a region: it is no longer idle. If it was, its wishes of before say
        /// nothing about now.
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
        [[nodiscard]] bool tells_of_regions(const Usage& usage, TimePoint now);
        [[nodiscard]] std::chrono::milliseconds patience_of_stopped(TimePoint now) const;
        [[nodiscard]] bool has_woken(TimePoint now) const;  // within kMemory
        void goes_on(TimePoint now);

        bool idle_ = false;
        std::optional<TimePoint> low_since_;
        std::optional<TimePoint> began_at_;       // its last region
        std::optional<TimePoint> outside_until_;  // did next to nothing, and began none
        std::optional<TimePoint> woke_at_;
        bool woke_again_ = false;  // within kMemory of the time before
        std::deque<Peak> peaks_;   // within kMemory; decreasing, so the front is the highest
};

}  // namespace governor::evidence
