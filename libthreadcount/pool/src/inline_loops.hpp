// SPDX-License-Identifier: MIT
//
// The time that short loops have taken alone, one after the other, and the wake that it is worth.
#pragma once

#include <atomic>
#include <cstdint>

namespace threadcount::pool {

/// Does it pay to wake a lane for a loop that has run alone for `spent_ns`, and has `left_ns` to
/// go? Loops shortly before it took `before_ns`. Pure.
[[nodiscard]] constexpr bool is_worth_a_wake(std::uint64_t spent_ns, std::uint64_t before_ns,
                                             double left_ns) {
        constexpr std::uint64_t kWakeNs = 10'000;
        // A loop that will take so long, going on like this, is worth a wake at once.
        constexpr auto kLongNs = static_cast<double>(10 * kWakeNs);
        // The caller pays for the wake, and the lane comes when most of a shorter rest is over.
        constexpr auto kRestNs = static_cast<double>(3 * kWakeNs);
        if (spent_ns + before_ns <= kWakeNs)
                return left_ns > kLongNs;
        // A loop that follows others is followed by others, which find the lane awake.
        return before_ns > 0 || left_ns > kRestNs;
}

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
