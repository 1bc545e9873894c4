// SPDX-License-Identifier: MIT
//
// All processes of the machine at about one moment.
#pragma once

#include "probe/file_reader.hpp"
#include "probe/pid_stat.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <dirent.h>
#include <functional>
#include <memory>
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

        /// Has the time for this part of a scan passed? Asked after each process.
        using IsOver = std::function<bool()>;

        /// Reads /proc/*/stat: about 7.5 us per process of the machine that has run since the last
        /// scan and 0.01 us per thread, which makes it the dearest part of a sample. A process that
        /// has not run is as it was, and costs 0.7 us, or twice that if its pid is lower than its
        /// parent's. Changes that others make to it (nice value, policy) are seen within kTurns
        /// scans. Left out are processes that go meanwhile, that are hidden from the daemon
        /// (hidepid=), and kernel threads. Large machines have thousands of these: each costs 0.5
        /// us, as it is read at one of kTurns scans only. A process with the pid of an ended kernel
        /// thread may so be found that much later. Returns 0, or a negative errno with the last
        /// scan unchanged. -EAGAIN: `is_over` said so, and the next call goes on from there.
        [[nodiscard]] int take(const IsOver& is_over = {});
        /// The next call begins a scan: what is read of this one is too old to go on.
        void drop() { begun_.reset(); }
        static constexpr std::uint32_t kTurns = 16;

        /// Ascending by pid. Each was read after its parent, so that a child's time cannot be in
        /// its parent's `reaped_ticks` as well: Descendants needs that.
        [[nodiscard]] const std::vector<PidStat>& processes() const { return processes_; }

        /// nullptr: not in the last scan. O(log processes).
        [[nodiscard]] const PidStat* find(std::uint32_t pid) const;

        /// Now, whatever the last scan says. Empty: it has gone, or is hidden. About 7 us.
        [[nodiscard]] std::optional<PidStat> read(std::uint32_t pid);

private:
        /// The facts that are kept from scan to scan.
        struct Seen {
                std::chrono::nanoseconds cpu_time;  // not later than `stat`
                PidStat stat;
        };
        using Directory = std::unique_ptr<DIR, int (*)(DIR*)>;
        /// A scan that has not ended: as far as it has come.
        struct Begun {
                Directory proc{nullptr, ::closedir};  // empty: all processes are listed
                std::vector<std::uint32_t> pids;      // ascending then
                std::size_t read = 0;                 // of `pids`
                std::vector<PidStat> processes;
                std::vector<Seen> seen;
                std::vector<std::uint32_t> kernel_threads;
                std::optional<std::vector<std::size_t>> early;  // as read_before_parents() says
                std::size_t read_again = 0;                     // of `early`
                std::vector<std::uint32_t> gone;                // before they were read again
        };

        [[nodiscard]] int begin();
        [[nodiscard]] static bool list(Begun& scan, const IsOver& is_over);
        [[nodiscard]] bool read_all(Begun& scan, const IsOver& is_over);
        [[nodiscard]] bool read_after_parents(Begun& scan, const IsOver& is_over);
        void end(Begun& scan);

        void read_first(Begun& scan, std::uint32_t pid);
        void read_again(Begun& scan, PidStat& process);
        [[nodiscard]] static Seen* find_seen(std::vector<Seen>& seen, std::uint32_t pid);
        [[nodiscard]] const Seen* unchanged(std::uint32_t pid, std::chrono::nanoseconds cpu_time,
                                            const std::vector<std::uint32_t>& pids);

        std::string root_;
        Clock clock_;  // empty: every process is read
        FileReader files_;
        std::vector<PidStat> processes_;
        std::vector<Seen> seen_;  // ascending by pid; of those whose clocks can be read
        std::vector<std::uint32_t> kernel_threads_;  // ascending
        std::uint32_t turn_ = 0;
        std::optional<Begun> begun_;
};

/// nullptr: `pid` is not among `processes`, which ascend by pid.
[[nodiscard]] const PidStat* find_process(std::span<const PidStat> processes, std::uint32_t pid);

/// Takes `processes` ascending by pid, read in that order. Tells which of these were read before
/// their parents, as pids wrap around, or before a parent that is to be read again: their indexes,
/// parents first. O(n log n) if there is any, O(n) if not.
[[nodiscard]] std::vector<std::size_t> read_before_parents(std::span<const PidStat> processes);

}  // namespace governor::probe
