// SPDX-License-Identifier: MIT
//
// A word of shared memory on which one process waits for another.
#pragma once

#include <atomic>
#include <cstdint>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace bench {

/// `operation`: FUTEX_WAIT while it is `value`, or FUTEX_WAKE of so many.
inline long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
        return ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value,
                         nullptr, nullptr, 0);
}

}  // namespace bench
