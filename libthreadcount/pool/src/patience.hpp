// SPDX-License-Identifier: MIT
//
// Letting a submitter get ahead.
#pragma once

#include <algorithm>
#include <cstdint>

namespace threadcount::pool {

/// Who looks into the cell that a submitter is about to fill takes the cache line away from it: a
/// lane at the heels of a submitter makes both as slow as lines travel, 110 ns per task, where
/// apart from each other they need a third of that. So a lane that has emptied the shared queue
/// leaves it alone for a while: for less than an answer to what it has just done would take; and
/// for twice as long as the last time if several tasks had come meanwhile.
///
/// Pure, and not thread-safe: a lane's own.
class Patience {
public:
        /// A task came out of the shared queue.
        void took_one() { in_a_row_++; }

        /// There is none left: so long it is not looked at, in ns.
        [[nodiscard]] std::uint64_t next() {
                if (in_a_row_ == 0)
                        return 0;
                wait_ns_ =
                        std::clamp(in_a_row_ > 1 ? 2 * wait_ns_ : wait_ns_ / 2, kLeastNs, kMostNs);
                in_a_row_ = 0;
                return wait_ns_;
        }

private:
        static constexpr std::uint64_t kLeastNs = 100;
        // From 1.5 us on a submitter of tiny tasks gets away; a task is late by this at most.
        static constexpr std::uint64_t kMostNs = 1'600;

        std::uint64_t wait_ns_ = kLeastNs;
        std::uint64_t in_a_row_ = 0;  // tasks since the last time
};

}  // namespace threadcount::pool
