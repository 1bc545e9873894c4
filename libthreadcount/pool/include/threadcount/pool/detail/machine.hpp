// SPDX-License-Identifier: MIT
//
// The machine as the lock-free parts see it: atomics, ways to wait, and memory.
#pragma once

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>
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

        /// The cache line of `item` will be written soon: it comes while the caller goes on.
        static void fetch(const void* item) noexcept { __builtin_prefetch(item, 1); }

        /// Writes `word`, which stays as it is. For a fresh page, before anybody reads it. The
        /// kernel maps a page that is read to its page of zeros, and copies that when it is
        /// written. It tells all CPUs where this program runs of it, by an interrupt, and waits.
        /// This took 25 us on a virtual machine with two CPUs, and a page that is written first 1
        /// us. (This is no help where atomic instructions fault as readers, as on some ARM.)
        /// MT-Safe.
        template <class T>
        static void touch(Atomic<T>& word) noexcept {
                // Not fetch_or(0), for which a compiler may choose not to write.
                T zero{0};
                (void)word.compare_exchange_strong(zero, T{0}, std::memory_order_relaxed);
        }

        /// The same if `word` is the first on its page, of such that are `item_size` bytes apart:
        /// for the first round of a queue.
        template <class T>
        static void touch_page(Atomic<T>& word, std::size_t item_size) noexcept {
                constexpr std::uintptr_t kPage = 4096;  // the smallest there are
                if (reinterpret_cast<std::uintptr_t>(&word) % kPage < item_size)
                        touch(word);
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
