// SPDX-License-Identifier: MIT
//
// The time that short loops have taken alone, one after the other.
#pragma once

#include <atomic>
#include <cstdint>

namespace threadcount::pool {

/// The sum of the times of loops that were run alone although they were long enough to be shared,
/// and followed each other closely. MT-Safe, but not exact if several threads run loops.
class InlineLoops {
public:
        /// The sum, as far as a loop that began at `start_ns` follows closely.
        [[nodiscard]] std::uint64_t before(std::uint64_t start_ns) const {
                const auto end = last_end_ns_.load(std::memory_order_relaxed);
                return start_ns - end < kCloseNs ? sum_ns_.load(std::memory_order_relaxed) : 0;
        }
        void add(std::uint64_t start_ns, std::uint64_t end_ns) {
                if (end_ns - start_ns < kShortestNs)
                        return;
                sum_ns_.store(before(start_ns) + end_ns - start_ns, std::memory_order_relaxed);
                last_end_ns_.store(end_ns, std::memory_order_relaxed);
        }
        void reset() { sum_ns_.store(0, std::memory_order_relaxed); }

private:
        // A lane that was woken searches about so long.
        static constexpr std::uint64_t kCloseNs = 20'000;
        // Another lane could hardly do a part of a shorter one.
        static constexpr std::uint64_t kShortestNs = 1'000;

        std::atomic<std::uint64_t> sum_ns_{0};
        std::atomic<std::uint64_t> last_end_ns_{0};
};

}  // namespace threadcount::pool
