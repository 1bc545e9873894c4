// SPDX-License-Identifier: MIT
//
// Tells a forked child from its parent without a system call.
#pragma once

namespace threadcount {

/// Starts counting forks; call it before the first fork_generation() that matters. False: out of
/// memory. MT-Safe.
[[nodiscard]] bool watch_forks();

/// One more in a child than in its parent. MT-Safe, one load.
[[nodiscard]] unsigned fork_generation();

}  // namespace threadcount
