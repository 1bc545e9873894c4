// SPDX-License-Identifier: MIT
//
// Letting a submitter get ahead.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace threadcount::pool {

/// A lane that looks into the cell that a submitter is about to fill takes the cache line away from
/// it. A lane at the heels of a submitter makes both as slow as lines travel (110 instead of some
/// 35 ns per task, on a virtual machine with two CPUs). A lane that has emptied the shared queue
/// therefore leaves it alone for a while if a stream of tasks comes: the longer, the more have
/// come. A stream that ends then makes somebody wait for what was done. This wait costs a tenth of
/// the time that these tasks have taken.
///
/// Pure, and not thread-safe: a lane's own.
class QueueBackoff {
public:
        /// A task came out of the shared queue.
        void took_one() { taken_++; }

        /// There is none left: so long it is not looked at, in ns.
        [[nodiscard]] std::uint64_t ns() const {
                return taken_ < kStream ? 0 : std::min(taken_ * kPerTaskNs, kMostNs);
        }

        /// The time of ns() is over, and `tasks` have come.
        void saw(std::size_t tasks) {
                if (tasks * kSlowestNs < ns())
                        taken_ = 0;
        }

private:
        static constexpr std::uint64_t kStream = 16;  // tasks
        static constexpr std::uint64_t kPerTaskNs = 6;
        // From 1.5 us on the submitter got away. A task is late by this at most, and a wake.
        static constexpr std::uint64_t kMostNs = 1'600;
        static constexpr std::uint64_t kSlowestNs = 60;  // per task of a stream

        std::uint64_t taken_ = 0;  // of this stream
};

}  // namespace threadcount::pool
