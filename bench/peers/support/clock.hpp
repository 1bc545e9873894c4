// SPDX-License-Identifier: MIT
// Time as benchmarks take it: CLOCK_MONOTONIC in nanoseconds, and the CPU time of a thread.
#pragma once

#include <cstdint>
#include <ctime>
#include <sys/prctl.h>

namespace peers {

using Nanoseconds = std::int64_t;

inline Nanoseconds read_clock(clockid_t clock) {
        timespec time{};
        clock_gettime(clock, &time);
        return Nanoseconds{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

inline Nanoseconds now() { return read_clock(CLOCK_MONOTONIC); }

/// CPU time that the calling thread has used so far.
inline Nanoseconds own_cpu_time() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

/// Sleeps until `time` of now(); as exactly as the thread's timer slack allows.
inline void sleep_until(Nanoseconds time) {
        const timespec until{time / 1'000'000'000, time % 1'000'000'000};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
        }
}

/// The calling thread sleeps as exactly as the kernel can, instead of 50 us too long. Threads that
/// are made meanwhile inherit that.
class FineSleep {
public:
        FineSleep() { prctl(PR_SET_TIMERSLACK, 1UL); }
        ~FineSleep() { prctl(PR_SET_TIMERSLACK, 0UL); }
        FineSleep(const FineSleep&) = delete;
        FineSleep& operator=(const FineSleep&) = delete;
};

inline void sleep_for(Nanoseconds time) { sleep_until(now() + time); }

/// Keeps the calling thread busy for that much CPU time, however often it is preempted.
inline void burn(Nanoseconds cpu_time) {
        const Nanoseconds end = own_cpu_time() + cpu_time;
        while (own_cpu_time() < end) {
        }
}

}  // namespace peers
