// SPDX-License-Identifier: MIT
//
// Tells a forked child from its parent without a system call.
#pragma once

#include <atomic>

namespace threadcount {

/// Starts counting forks; call it before the first fork_generation() that matters. False: out of
/// memory. MT-Safe.
[[nodiscard]] bool watch_forks();

// Relaxed: the child has one thread when it is written.
extern std::atomic<unsigned> forks;

/// One more in a child than in its parent. MT-Safe, one load.
[[nodiscard]] inline unsigned fork_generation() { return forks.load(std::memory_order_relaxed); }

}  // namespace threadcount
