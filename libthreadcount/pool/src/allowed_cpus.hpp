// SPDX-License-Identifier: MIT
//
// The CPUs that a thread may run on, and where they sit in this machine.
#pragma once

#include "places.hpp"

#include <span>
#include <sys/types.h>
#include <vector>

namespace threadcount::pool {

/// The affinity mask of `thread` (0: the caller); ascending. Empty: the kernel does not tell.
/// About 1 us.
[[nodiscard]] std::vector<int> affinity_of(pid_t thread);

/// Binds the calling thread to `cpus`, of which there is one at least. False: the kernel allows
/// none of them.
bool bind_to(std::span<const int> cpus);

/// Those of `cpus` (empty: all) that are in the calling thread's affinity mask; ascending, each
/// once.
[[nodiscard]] std::vector<int> allowed_among(std::span<const int> cpus);

/// The places of `cpus` on this machine; read once per process, so that only the first pool pays.
/// MT-Safe.
[[nodiscard]] std::vector<Place> places_of(std::span<const int> cpus);

/// Notices that an administrator, or a cpuset, has changed where the process may run. The lanes,
/// each of which has a mask of one CPU, have another one then, or the process's first thread may
/// run on more CPUs. A first thread that binds itself means nothing by it, and neither does a task
/// that binds its own thread, which is bound to its CPU again. A first thread that had another mask
/// than the creator of the pool from the beginning is not asked. Not thread-safe.
class AllowedCpus {
public:
        /// By the creator of the pool.
        AllowedCpus();

        /// By a lane that should be bound to CPU `cpu`. True: the process may run elsewhere since
        /// the last look, on ret_cpus.
        [[nodiscard]] bool has_changed(int cpu, std::vector<int>& ret_cpus);

private:
        // Where the process may run, as far as is known. Empty: the first thread tells nothing.
        std::vector<int> known_;
};

}  // namespace threadcount::pool
