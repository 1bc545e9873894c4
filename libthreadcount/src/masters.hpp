// SPDX-License-Identifier: MIT
//
// The number of threads of the process that start regions at the same time.
#pragma once

#include <atomic>
#include <cstdint>

namespace threadcount {

/// Counts the threads that ask within a period, this one or the last one, whichever were more. A
/// thread that asked a moment ago may still be in its region. MT-Safe.
class Masters {
public:
        /// The mark of the calling thread, zero at first.
        using Mark = std::uint64_t;

        /// The calling thread starts a region. `period` is any number but 0 that changes at a
        /// steady pace, in one direction. >= 1.
        [[nodiscard]] std::uint32_t begin(Mark& mark, std::uint64_t period) {
                if (mark != period)
                        enter(mark, period);
                const auto counted = counted_.load(std::memory_order_relaxed);
                const auto now = static_cast<std::uint16_t>(counted >> 16);
                const auto before = static_cast<std::uint16_t>(counted);
                return now > before ? now : before > 0 ? before : 1;
        }

private:
        void enter(Mark& mark, std::uint64_t period);

        // 32 bits of the period, 16 of how many came in it, 16 of how many in the one before.
        std::atomic<std::uint64_t> counted_{0};
};

}  // namespace threadcount
