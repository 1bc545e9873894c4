// SPDX-License-Identifier: MIT
//
// CPU time of programs that the kernel lets run only where nobody else wants to.
#pragma once

#include "policy/time_point.hpp"
#include "probe/cgroups.hpp"
#include "probe/descendants.hpp"
#include "probe/pid_stat.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace governor::probe {

using policy::TimePoint;

/// Processes with the scheduling policy SCHED_IDLE (their first thread's), and control groups with
/// cpu.idle = 1. Each counts once. Time that is subtracted from the busy time of CPUs elsewhere
/// does not count: that of lease holders and their descendants, and user time with a positive nice
/// value (policy::CpuIdle::nice_permyriad). Not thread-safe.
class YieldingLoad {
public:
        /// `cgroups` must outlive this; it tells the root. `ticks_per_second` as of
        /// sysconf(_SC_CLK_TCK).
        YieldingLoad(Cgroups& cgroups, std::uint64_t ticks_per_second)
                : cgroups_(cgroups), ticks_per_second_(ticks_per_second) {}

        /// Takes a scan and its growth (Descendants::growth()). Costs next to nothing while nobody
        /// yields. Each idle group costs 8 us (Cgroups::kMostIdleGroups at most); with idle groups
        /// each process that is SCHED_IDLE, niced or a lease holder's costs 10 us, if it is among
        /// the kMostAsked that have run most; others are taken to be in no idle group. Every
        /// kLookAround the control groups are searched for idle ones: 30 us per group of the
        /// machine. The time that a SCHED_IDLE process uses between its last scan and its end does
        /// not count, nor does an idle group before it is found.
        void add(std::span<const PidStat> processes, std::span<const Descendants::Growth> growth,
                 TimePoint now);

        /// Counted since the first scan; never goes backwards.
        [[nodiscard]] std::chrono::nanoseconds total() const { return total_; }

        static constexpr std::chrono::seconds kLookAround{10};
        static constexpr std::size_t kMostAsked = 1024;

        /// Its control group is idle, so that its time counts here. Costs nothing where none is,
        /// else as Cgroups::memberships().
        [[nodiscard]] bool is_in_idle_group(std::uint32_t pid);

private:
        void look_around(TimePoint now);
        [[nodiscard]] std::chrono::nanoseconds grown_groups();

        Cgroups& cgroups_;
        std::uint64_t ticks_per_second_;
        bool is_first_ = true;
        TimePoint looked_at_;
        std::map<std::string, std::chrono::nanoseconds> groups_;  // usage so far, by path
        std::chrono::nanoseconds sum_{0};  // may go back a little: ticks against nanoseconds
        std::chrono::nanoseconds total_{0};
};

}  // namespace governor::probe
