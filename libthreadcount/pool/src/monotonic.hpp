// SPDX-License-Identifier: MIT
//
// CLOCK_MONOTONIC, which std::chrono::steady_clock is on Linux.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>

namespace threadcount::pool {

/// Some 20 ns. std::chrono would divide and multiply for the same.
[[nodiscard]] inline std::uint64_t monotonic_ns() {
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
               static_cast<std::uint64_t>(now.tv_nsec);
}

/// The same clock, some milliseconds behind. Some 7 ns.
[[nodiscard]] inline std::uint64_t coarse_ms() {
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
        return static_cast<std::uint64_t>(now.tv_sec) * 1'000U +
               static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000U;
}

[[nodiscard]] inline timespec as_timespec(std::uint64_t at_ns) {
        return {static_cast<std::time_t>(at_ns / 1'000'000'000U),
                static_cast<long>(at_ns % 1'000'000'000U)};
}

/// Times before the clock's start become its start.
[[nodiscard]] inline timespec as_timespec(std::chrono::steady_clock::time_point at) {
        const auto ns = std::chrono::nanoseconds(at.time_since_epoch()).count();
        return as_timespec(static_cast<std::uint64_t>(ns < 0 ? 0 : ns));
}

}  // namespace threadcount::pool
