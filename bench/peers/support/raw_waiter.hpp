// SPDX-License-Identifier: MIT
// The yardstick of a wake-up: a thread that waits on a futex, and nothing else.
#pragma once

#include "pinning.hpp"
#include "samples.hpp"

#include <atomic>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace peers {

/// The moments when something was asked for, when the call came back, when it began to run.
struct Wake {
        Nanoseconds asked = 0;
        Nanoseconds returned = 0;
        Nanoseconds running = 0;
};

class RawWaiter {
public:
        explicit RawWaiter(int cpu) : thread_(thread_on(cpu, [this] { serve(); })) {}
        ~RawWaiter() {
                ending_.store(true);
                word_.fetch_add(1);
                futex(FUTEX_WAKE_PRIVATE, 1);
        }
        RawWaiter(const RawWaiter&) = delete;
        RawWaiter& operator=(const RawWaiter&) = delete;

        /// Wakes the thread, and waits, spinning, until it runs.
        Wake wake() {
                Wake wake;
                running_.store(0);
                wake.asked = now();
                word_.fetch_add(1);
                futex(FUTEX_WAKE_PRIVATE, 1);
                wake.returned = now();
                while ((wake.running = running_.load()) == 0) {
                }
                return wake;
        }

private:
        void serve() {
                for (std::uint32_t seen = 0; !ending_.load();) {
                        if (word_.load() == seen) {
                                futex(FUTEX_WAIT_PRIVATE, seen);
                                continue;
                        }
                        running_.store(now());
                        seen = word_.load();
                }
        }

        void futex(int operation, std::uint32_t value) {
                syscall(SYS_futex, &word_, operation, value, nullptr, nullptr, 0);
        }

        std::atomic<std::uint32_t> word_{0};
        std::atomic<Nanoseconds> running_{0};
        std::atomic<bool> ending_{false};
        std::jthread thread_;
};

}  // namespace peers
