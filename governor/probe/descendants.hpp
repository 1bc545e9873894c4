// SPDX-License-Identifier: MIT
//
// CPU time of the processes that a lease holder has started, from scan to scan. Pure.
#pragma once

#include "probe/pid_stat.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

namespace governor::probe {

/// A process belongs to the nearest of its ancestors that holds a lease, itself first. What it uses
/// between two scans is counted once:
/// - while it lives, as the growth of its own time;
/// - the rest, from its last scan to its end, as the growth of its parent's `reaped_ticks` less
///   what was counted while it lived. So is all that a process used that began and ended between
///   two scans. Both are lost where the parent does not wait for children, or went first.
///
/// A holder's own time is not counted here (ProcessClock is exact and costs no scan). The scan that
/// first names a holder may find earlier use: of that, only processes count that began when it held
/// its lease already. An orphan that is adopted by a process that does not belong to the holder no
/// longer does either.
class Descendants {
public:
        /// The time that a process used since the scan before.
        struct Growth {
                std::uint32_t holder = 0;  ///< pid; 0: it belongs to nobody
                std::uint64_t user_ticks = 0;
                std::uint64_t system_ticks = 0;
        };

        struct Holder {
                std::uint32_t pid = 0;
                /// It holds its lease since then, as PidStat::started_ticks are counted.
                std::uint64_t since_ticks = std::numeric_limits<std::uint64_t>::max();
        };

        /// Takes a scan (ProcessScan::processes()) and those that hold leases, in any order. For
        /// 1000 processes about 100 us.
        void add(std::span<const PidStat> processes, std::span<const Holder> holders);

        /// Ticks that descendants of `holder` have used since it was first named; never goes
        /// backwards while it is named at every scan. 0 for others.
        [[nodiscard]] std::uint64_t ticks(std::uint32_t holder) const;

        /// Processes of the last scan that belong to `holder`, itself aside.
        [[nodiscard]] std::uint32_t processes(std::uint32_t holder) const;

        /// One for each process of the last scan, in its order.
        [[nodiscard]] const std::vector<Growth>& growth() const { return growth_; }

private:
        struct Total {
                std::uint64_t started_ticks = 0;  // of the holder: a pid may come again
                std::uint64_t ticks = 0;
                bool is_new = true;             // first named with this scan
                std::uint64_t since_ticks = 0;  // only of a new one
                std::uint32_t processes = 0;    // of this scan
        };
        using TicksByPid = std::map<std::uint32_t, std::uint64_t>;

        [[nodiscard]] TicksByPid credit_vanished(std::span<const PidStat> processes) const;
        [[nodiscard]] Growth grown(const PidStat& process) const;
        [[nodiscard]] std::uint64_t reaped(const PidStat& process, TicksByPid& credits);
        void name_holders(std::span<const PidStat> processes, std::span<const Holder> holders);

        bool is_first_ = true;
        std::vector<PidStat> last_;
        std::uint64_t newest_started_ticks_ = 0;  // what started earlier was there before
        std::map<std::uint32_t, Total> totals_;   // by holder
        // Ticks of children that had gone at the last scan but that their parents, which are read
        // first, may not have waited for yet.
        TicksByPid late_credits_;
        std::vector<Growth> growth_;
};

}  // namespace governor::probe
