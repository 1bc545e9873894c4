// SPDX-License-Identifier: MIT
//
// The library's one door to the clock.
#pragma once

#include <cstdint>
#include <ctime>

namespace threadcount {

/// Nanoseconds on a clock.
inline std::uint64_t ns_on(clockid_t clock) {
        timespec now{};
        clock_gettime(clock, &now);
        return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
               static_cast<std::uint64_t>(now.tv_nsec);
}

/// On CLOCK_MONOTONIC: some 20 ns.
inline std::uint64_t now_ns() { return ns_on(CLOCK_MONOTONIC); }

/// On CLOCK_MONOTONIC_COARSE: steps of a kernel tick (1-10 ms), costs some 7 ns.
inline std::uint64_t coarse_now_ns() { return ns_on(CLOCK_MONOTONIC_COARSE); }
inline std::uint64_t coarse_now_ms() { return coarse_now_ns() / 1'000'000; }

}  // namespace threadcount
