// SPDX-License-Identifier: MIT
//
// The CPUs that the threads of a process may run on.
#pragma once

#include "policy/cpu_mask.hpp"
#include "probe/file_reader.hpp"

#include <cstdint>
#include <string>

namespace governor::probe {

/// Works for this machine only. 0: the process has gone, or is hidden (hidepid=). About 2 us.
[[nodiscard]] std::uint32_t count_threads(std::uint32_t pid);

/// Not thread-safe.
class Affinity {
public:
        /// `root` is empty for this machine, where the kernel is asked with sched_getaffinity(2);
        /// below any other root /proc/PID/task/TID/status is read.
        explicit Affinity(std::string root) : root_(std::move(root)) {}

        /// The union over all threads: a runtime that binds its threads (OMP_PROC_BIND) narrows
        /// each mask, that of the first thread too. The kernel has already cut every mask to the
        /// cpuset. Threads that go meanwhile do not count, nor do those beyond the first
        /// kMostThreads: the daemon's work for one process must have an end. Returns 0 or a
        /// negative errno; -ESRCH: the process has gone, or its threads are hidden (hidepid=).
        /// About 2 us for one thread, for more 5 us and 0.6 us per thread (11 us per thread below a
        /// root). `ret_threads`: as count_threads(); 0 below a root.
        [[nodiscard]] int read(std::uint32_t pid, policy::CpuMask& ret_cpus,
                               std::uint32_t& ret_threads);
        static constexpr std::uint32_t kMostThreads = 512;

private:
        std::string root_;
        FileReader files_;
};

}  // namespace governor::probe
