// SPDX-License-Identifier: MIT
//
// All processes of the machine at about one moment.
#pragma once

#include "probe/file_reader.hpp"
#include "probe/pid_stat.hpp"

#include <chrono>
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
        /// CPU time of a process so far, to the nanosecond; empty: not known.
        using Clock = std::function<std::optional<std::chrono::nanoseconds>(std::uint32_t pid)>;

        /// Reads below `root`, which is empty for this machine. Only there do the kernel's clocks
        /// tell which processes have run.
        explicit ProcessScan(std::string root);
        ProcessScan(std::string root, Clock clock)
                : root_(std::move(root)), clock_(std::move(clock)) {}

        /// Reads /proc/*/stat: about 7.5 us per process of the machine that has run since the last
        /// scan and 0.01 us per thread, which makes it the dearest part of a sample. A process that
        /// has not run is as it was, and costs 0.7 us. Changes that others make to it (nice value,
        /// policy) are seen within kTurns scans. Left out are processes that go meanwhile, that are
        /// hidden from the daemon (hidepid=), and kernel threads. Large machines have thousands of
        /// these: each costs 0.5 us, as it is read at one of kTurns scans only. A process with the
        /// pid of an ended kernel thread may so be found that much later. Returns 0 or a negative
        /// errno with the last scan unchanged.
        [[nodiscard]] int take();
        static constexpr std::uint32_t kTurns = 16;

        /// Ascending by pid. Each was read after its parent, so that a child's time cannot be in
        /// its parent's `reaped_ticks` as well: Descendants needs that.
        [[nodiscard]] const std::vector<PidStat>& processes() const { return processes_; }

        /// nullptr: not in the last scan. O(log processes).
        [[nodiscard]] const PidStat* find(std::uint32_t pid) const;

        /// Now, whatever the last scan says. Empty: it has gone, or is hidden. About 7 us.
        [[nodiscard]] std::optional<PidStat> read(std::uint32_t pid);

private:
        void read_all(const std::vector<std::uint32_t>& pids);

        /// The facts that are kept from scan to scan.
        struct Seen {
                std::chrono::nanoseconds cpu_time;  // not later than `stat`
                PidStat stat;
        };
        [[nodiscard]] const Seen* unchanged(std::uint32_t pid, std::chrono::nanoseconds cpu_time,
                                            const std::vector<std::uint32_t>& pids) const;

        std::string root_;
        Clock clock_;  // empty: every process is read
        FileReader files_;
        std::vector<PidStat> processes_;
        std::vector<Seen> seen_;  // ascending by pid; of those whose clocks can be read
        std::vector<std::uint32_t> kernel_threads_;  // ascending
        std::uint32_t turn_ = 0;
};

/// nullptr: `pid` is not among `processes`, which ascend by pid.
[[nodiscard]] const PidStat* find_process(std::span<const PidStat> processes, std::uint32_t pid);

/// Takes `processes` ascending by pid, read in that order. Those that were read before their
/// parents are read again, as pids wrap around; `read` returns nothing for one that has gone. O(n
/// log n) if there is any, O(n) if not.
void read_after_parents(std::vector<PidStat>& processes,
                        const std::function<std::optional<PidStat>(std::uint32_t pid)>& read);

}  // namespace governor::probe
