// SPDX-License-Identifier: MIT
//
// What the lock-free parts ask of the machine: atomics, and ways to wait.
#pragma once

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace threadcount::pool {

/// The real one. Tests put a machine in its place that decides which thread runs next; so the
/// lock-free parts take it as a parameter.
struct Machine {
        template <class T>
        using Atomic = std::atomic<T>;

        /// Tells the core that this thread only waits: some 20 ns.
        static void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
                __builtin_ia32_pause();
#elif defined(__aarch64__)
                asm volatile("isb" ::: "memory");
#endif
        }

        static void yield() noexcept { sched_yield(); }

        /// Sleeps while `word` has the value `expected`, until wake(), `deadline` (CLOCK_MONOTONIC;
        /// nullptr: none), or for no reason at all. False: the deadline is over.
        static bool wait(const Atomic<std::uint32_t>& word, std::uint32_t expected,
                         const timespec* deadline = nullptr) noexcept {
                return syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, expected,
                               deadline, nullptr, FUTEX_BITSET_MATCH_ANY) == 0 ||
                       errno != ETIMEDOUT;
        }

        static void wake_one(const Atomic<std::uint32_t>& word) noexcept { wake(word, 1); }
        static void wake_all(const Atomic<std::uint32_t>& word) noexcept { wake(word, INT_MAX); }

private:
        static void wake(const Atomic<std::uint32_t>& word, int count) noexcept {
                syscall(SYS_futex, &word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count);
        }
};

/// Far enough apart that two threads do not fetch each other's: two lines of 64 bytes, since
/// processors fetch them in pairs.
inline constexpr std::size_t kApart = 128;

}  // namespace threadcount::pool
