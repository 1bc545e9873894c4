// SPDX-License-Identifier: MIT
//
// Tells a forked child from its parent without a system call.
#pragma once

#include <atomic>

namespace threadcount {

/// To be called before a fork_generation() that matters: starts counting forks, and notices one
/// that was made without fork(). Then one thread forgets what the parent did, and other callers
/// wait until it has. False: out of memory. MT-Safe.
[[nodiscard]] bool watch_forks();

/// The generation is in a page that the kernel clears in every child. It therefore also tells
/// children that are made by clone() or the system call; before Linux 4.14 it tells those of fork()
/// only. Set before the first handle is there, and constant from then on.
extern std::atomic<unsigned>* generation_word;

/// Never 0 in a process that has opened a handle itself. Never what it was in a parent of this
/// process. 0: nothing was opened since a fork that was made without fork(). The first
/// watch_forks() after such a fork makes it a number that no handle has, for as long as it runs.
/// Relaxed: a thread that opens a handle reads it after watch_forks(), and to others only its being
/// different matters. A child that shares its parent's memory (vfork()) is not told from it.
/// MT-Safe, two loads.
[[nodiscard]] inline unsigned fork_generation() {
        return generation_word->load(std::memory_order_relaxed);
}

}  // namespace threadcount
