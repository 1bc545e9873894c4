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

        /// Reads /proc/*/stat: about 7 us per process of the machine and 0.1 us per thread, which
        /// makes it the dearest part of a sample. Processes that go meanwhile, or are hidden from
        /// the daemon (hidepid=), are left out. Returns 0 or a negative errno with the last scan
        /// unchanged.
        [[nodiscard]] int take();

        /// Ascending by pid. Each was read after its parent, so that a child's time cannot be in
        /// its parent's `reaped_ticks` as well: Descendants needs that.
        [[nodiscard]] const std::vector<PidStat>& processes() const { return processes_; }

        /// nullptr: not in the last scan. O(log processes).
        [[nodiscard]] const PidStat* find(std::uint32_t pid) const;

private:
        [[nodiscard]] std::optional<PidStat> read(std::uint32_t pid);

        std::string root_;
        FileReader files_;
        std::vector<PidStat> processes_;
};

/// nullptr: `pid` is not among `processes`, which ascend by pid.
[[nodiscard]] const PidStat* find_process(std::span<const PidStat> processes, std::uint32_t pid);

/// Reads those of `processes` (ascending by pid, read in that order) again that were read before
/// their parents, as pids wrap around; `read` returns nothing for one that has gone. O(n log n) if
/// there is any, O(n) if not.
void read_after_parents(std::vector<PidStat>& processes,
                        const std::function<std::optional<PidStat>(std::uint32_t pid)>& read);

}  // namespace governor::probe
