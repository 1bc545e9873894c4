// SPDX-License-Identifier: MIT
//
// The library's one door to the clock.
#pragma once

#include <cstdint>
#include <ctime>

namespace threadcount {

/// Milliseconds on CLOCK_MONOTONIC_COARSE: steps of a kernel tick (1-10 ms), costs some 7 ns.
inline std::uint64_t coarse_now_ms() {
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
        return static_cast<std::uint64_t>(now.tv_sec) * 1000 +
               static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
}

/// Nanoseconds on CLOCK_MONOTONIC.
inline std::uint64_t now_ns() {
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
               static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace threadcount
