// SPDX-License-Identifier: MIT
// SCHED_IDLE and cpu.idle.
#include "probe/yielding_load.hpp"

#include "probe/process_clock.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
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
        struct Ask {
                std::uint64_t used;
                std::uint64_t yielding;
                const PidStat* process;
                [[nodiscard]] bool is_idle() const {
                        return process->scheduling_policy == SCHED_IDLE;
                }
        };
        std::vector<Ask> ask;
        for (std::size_t i = 0; i < std::min(processes.size(), growth.size()); i++) {
                const Ask one{growth[i].user_ticks + growth[i].system_ticks,
                              yielding_ticks(processes[i], growth[i]), &processes[i]};
                if (one.used > 0 && (one.is_idle() || one.used != one.yielding))
                        ask.push_back(one);
        }
        const auto asked =
                ask.begin() + static_cast<std::ptrdiff_t>(std::min(ask.size(), kMostAsked));
        std::ranges::partial_sort(ask, asked, std::greater{}, &Ask::used);
        auto sum = grown_groups();
        for (auto one = ask.begin(); one != ask.end(); ++one) {
                // The usage of its group has all of it, and should have `yielding` only.
                if (one < asked && is_in_idle_group(one->process->pid))
                        sum -= ticks_to_time(one->used - one->yielding, ticks_per_second_);
                else if (one->is_idle())
                        sum += ticks_to_time(one->yielding, ticks_per_second_);
        }
        if (is_first_ || now - looked_at_ >= kLookAround)
                look_around(now);
        is_first_ = false;
        sum_ += sum;
        total_ = std::max(total_, sum_);
}

}  // namespace governor::probe
