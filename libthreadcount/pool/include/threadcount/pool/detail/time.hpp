// SPDX-License-Identifier: MIT
//
// Points in time that are far away.
#pragma once

#include <chrono>

namespace threadcount::pool {

/// Now and `time`; at most the last one there is.
[[nodiscard]] inline std::chrono::steady_clock::time_point after(std::chrono::nanoseconds time) {
        using Clock = std::chrono::steady_clock;
        const auto now = Clock::now();
        return time < Clock::time_point::max() - now ? now + time : Clock::time_point::max();
}

}  // namespace threadcount::pool
