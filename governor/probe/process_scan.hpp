// SPDX-License-Identifier: MIT
//
// All processes of the machine at about one moment.
#pragma once

#include "probe/file_reader.hpp"
#include "probe/pid_stat.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace governor::probe {

/// Not thread-safe.
class ProcessScan {
public:
        /// Reads below `root`, which is empty for this machine.
        explicit ProcessScan(std::string root) : root_(std::move(root)) {}

        /// Reads /proc/*/stat: about 7.5 us per process of the machine and 0.01 us per thread,
        /// which makes it the dearest part of a sample: 0.2 s where there are 30,000. None can be
        /// passed over for a while, however quiet: should it end unread, its parent's
        /// `reaped_ticks` would count again what was counted of it before. Left out are processes
        /// that go meanwhile, that are hidden from the daemon (hidepid=), and kernel threads, of
        /// which large machines have thousands: these cost 0.5 us, as each is read at one of
        /// kKernelThreadTurns scans only. A process with the pid of an ended kernel thread may so
        /// be found that much later. Returns 0 or a negative errno with the last scan unchanged.
        [[nodiscard]] int take();
        static constexpr std::uint32_t kKernelThreadTurns = 16;

        /// Ascending by pid. Each was read after its parent, so that a child's time cannot be in
        /// its parent's `reaped_ticks` as well: Descendants needs that.
        [[nodiscard]] const std::vector<PidStat>& processes() const { return processes_; }

        /// nullptr: not in the last scan. O(log processes).
        [[nodiscard]] const PidStat* find(std::uint32_t pid) const;

private:
        [[nodiscard]] std::optional<PidStat> read(std::uint32_t pid);
        void read_all(const std::vector<std::uint32_t>& pids);

        std::string root_;
        FileReader files_;
        std::vector<PidStat> processes_;
        std::vector<std::uint32_t> kernel_threads_;  // ascending
        std::uint32_t turn_ = 0;
};

/// nullptr: `pid` is not among `processes`, which ascend by pid.
[[nodiscard]] const PidStat* find_process(std::span<const PidStat> processes, std::uint32_t pid);

/// Reads those of `processes` (ascending by pid, read in that order) again that were read before
/// their parents, as pids wrap around; `read` returns nothing for one that has gone. O(n log n) if
/// there is any, O(n) if not.
void read_after_parents(std::vector<PidStat>& processes,
                        const std::function<std::optional<PidStat>(std::uint32_t pid)>& read);

}  // namespace governor::probe
