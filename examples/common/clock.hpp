// SPDX-License-Identifier: MIT
//
// The two clocks: time that passes, and time that the calling thread computes.
#pragma once

#include <ctime>

namespace examples {

inline double read_clock_ns(clockid_t clock) {
        timespec now{};

        clock_gettime(clock, &now);
        return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// Milliseconds since boot, the same clock in all processes of a host.
inline double monotonic_ms() { return read_clock_ns(CLOCK_MONOTONIC) * 1e-6; }

/// CPU time of the calling thread: does not run while others have the core.
inline double thread_cpu_ns() { return read_clock_ns(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace examples
