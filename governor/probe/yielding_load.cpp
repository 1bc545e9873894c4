// SPDX-License-Identifier: MIT
// SCHED_IDLE and cpu.idle.
#include "probe/yielding_load.hpp"

#include "probe/process_clock.hpp"

#include <algorithm>
#include <sched.h>

namespace governor::probe {

namespace {

using std::chrono::nanoseconds;

/// The part that nothing else accounts for.
std::uint64_t yielding_ticks(const PidStat& process, const Descendants::Growth& growth) {
        if (growth.holder != 0)
                return 0;
        return growth.system_ticks + (process.nice > 0 ? 0 : growth.user_ticks);
}

}  // namespace

/// A group that is new has its usage read at the next scan, and counts from then on.
void YieldingLoad::look_around(TimePoint now) {
        looked_at_ = now;
        std::map<std::string, nanoseconds> groups;
        for (auto& path : cgroups_.idle_groups())
                if (const auto known = groups_.find(path); known != groups_.end())
                        groups.insert(*known);
                else if (const auto usage = cgroups_.usage(path))
                        groups[path] = *usage;
        groups_ = std::move(groups);
}

nanoseconds YieldingLoad::grown_groups() {
        nanoseconds sum{0};
        for (auto& [path, before] : groups_) {
                const auto usage = cgroups_.usage(path);
                if (!usage)
                        continue;
                sum += std::max(*usage - before, nanoseconds{0});
                before = *usage;
        }
        return sum;
}

bool YieldingLoad::is_in_idle_group(std::uint32_t pid) {
        std::vector<CgroupMembership> memberships;
        if (groups_.empty() || cgroups_.memberships(pid, memberships) < 0)
                return false;
        const auto path = cgroups_.cpu_path(memberships);
        return path &&
               std::ranges::any_of(ancestry(within_levels(*path)), [&](const std::string& group) {
                       return groups_.contains(group);
               });
}

void YieldingLoad::add(std::span<const PidStat> processes,
                       std::span<const Descendants::Growth> growth, TimePoint now) {
        auto sum = grown_groups();
        for (std::size_t i = 0; i < std::min(processes.size(), growth.size()); i++) {
                const auto& process = processes[i];
                const auto used = growth[i].user_ticks + growth[i].system_ticks;
                const auto yielding = yielding_ticks(process, growth[i]);
                const bool is_idle = process.scheduling_policy == SCHED_IDLE;
                if (used == 0 || (!is_idle && used == yielding))
                        continue;
                // The usage of its group has all of it, and should have `yielding` only.
                if (is_in_idle_group(process.pid))
                        sum -= ticks_to_time(used - yielding, ticks_per_second_);
                else if (is_idle)
                        sum += ticks_to_time(yielding, ticks_per_second_);
        }
        if (is_first_ || now - looked_at_ >= kLookAround)
                look_around(now);
        is_first_ = false;
        sum_ += sum;
        total_ = std::max(total_, sum_);
}

}  // namespace governor::probe
