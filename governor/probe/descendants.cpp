// SPDX-License-Identifier: MIT
// Growth between two scans, and the holder that it belongs to.
#include "probe/descendants.hpp"

#include "probe/process_scan.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace governor::probe {

namespace {

std::uint64_t growth_of(std::uint64_t from, std::uint64_t to) { return to > from ? to - from : 0; }

const PidStat* find_same(std::span<const PidStat> processes, const PidStat& process) {
        const auto* same = find_process(processes, process.pid);
        return same != nullptr && same->is_same_process(process) ? same : nullptr;
}

/// For each process the pid of the nearest of itself and its ancestors for which `is_end`; 0 if
/// there is none. Every process is looked at once, however deep the trees are.
template <class IsEnd>
std::vector<std::uint32_t> nearest(std::span<const PidStat> processes, IsEnd is_end) {
        std::vector<std::optional<std::uint32_t>> found(processes.size());
        std::vector<std::size_t> path;
        for (std::size_t start = 0; start < processes.size(); start++) {
                std::size_t i = start;
                while (!found[i]) {
                        found[i] = 0;  // ends the walk should a pid have come again: no cycles
                        path.push_back(i);
                        if (is_end(processes[i])) {
                                found[i] = processes[i].pid;
                                break;
                        }
                        const auto* parent = find_process(processes, processes[i].ppid);
                        if (parent == nullptr)
                                break;
                        i = static_cast<std::size_t>(parent - processes.data());
                }
                for (const auto pid = *found[i]; !path.empty(); path.pop_back())
                        found[path.back()] = pid;
        }
        std::vector<std::uint32_t> pids;
        pids.reserve(found.size());
        for (const auto& pid : found)
                pids.push_back(pid.value_or(0));
        return pids;
}

}  // namespace

/// The time that vanished processes had used, and that they were owed themselves, goes to the
/// nearest ancestor that is still there. It waits for them, or for the process that waited for
/// them.
Descendants::TicksByPid Descendants::credit_vanished(std::span<const PidStat> processes) const {
        const auto heirs = nearest(last_, [&](const PidStat& process) {
                return find_same(processes, process) != nullptr;
        });
        TicksByPid credits;
        for (std::size_t i = 0; i < last_.size(); i++) {
                const auto& process = last_[i];
                if (heirs[i] == 0 || heirs[i] == process.pid)
                        continue;
                auto& credit = credits[heirs[i]];
                credit += process.own_ticks() + process.reaped_ticks;
                if (const auto late = late_credits_.find(process.pid); late != late_credits_.end())
                        credit += late->second;
        }
        return credits;
}

/// A process that was not there before has begun since, unless it is older than some that were. An
/// older one was hidden, or could not be read, and its history is not of this period.
Descendants::Growth Descendants::grown(const PidStat& process) const {
        if (const auto* before = find_same(last_, process))
                return {0, growth_of(before->user_ticks, process.user_ticks),
                        growth_of(before->system_ticks, process.system_ticks)};
        if (process.started_ticks < newest_started_ticks_)
                return {};
        return {0, process.user_ticks, process.system_ticks};
}

/// Growth of `reaped_ticks` beyond what was counted while the vanished processes lived. The rest of
/// their credit is good for one more scan.
std::uint64_t Descendants::reaped(const PidStat& process, TicksByPid& credits) {
        const auto* before = find_same(last_, process);
        if (before == nullptr)
                return process.started_ticks < newest_started_ticks_ ? 0 : process.reaped_ticks;
        auto rest = growth_of(before->reaped_ticks, process.reaped_ticks);
        const auto consume = [&](std::uint64_t& credit) {
                const auto consumed = std::min(rest, credit);
                rest -= consumed;
                credit -= consumed;
        };
        if (const auto late = late_credits_.find(process.pid); late != late_credits_.end())
                consume(late->second);
        if (const auto credit = credits.find(process.pid); credit != credits.end())
                consume(credit->second);
        return rest;
}

void Descendants::name_holders(std::span<const PidStat> processes,
                               std::span<const Holder> holders) {
        std::map<std::uint32_t, Total> named;
        for (const auto& [pid, since_ticks] : holders) {
                const auto* process = find_process(processes, pid);
                const auto known = totals_.find(pid);
                const auto started = process != nullptr ? process->started_ticks : 0;
                if (known != totals_.end() &&
                    (process == nullptr || started == known->second.started_ticks))
                        named[pid] = {known->second.started_ticks, known->second.ticks, false};
                else if (process != nullptr)
                        named[pid] = {started, 0, true, since_ticks};
        }
        totals_ = std::move(named);
}

void Descendants::add(std::span<const PidStat> processes, std::span<const Holder> holders) {
        name_holders(processes, holders);
        const auto owners = nearest(
                processes, [&](const PidStat& process) { return totals_.contains(process.pid); });
        auto credits = credit_vanished(processes);
        growth_.assign(processes.size(), {});
        for (std::size_t i = 0; i < processes.size(); i++) {
                const auto& process = processes[i];
                auto& growth = growth_[i];
                growth = is_first_ ? Growth{} : grown(process);
                growth.holder = owners[i];
                auto rest = is_first_ ? 0 : reaped(process, credits);
                if (growth.holder == 0)
                        continue;
                auto& total = totals_[growth.holder];
                const bool is_holder = growth.holder == process.pid;
                total.processes += is_holder ? 0 : 1;
                const bool began_under_it =
                        total.is_new && !is_holder && process.started_ticks >= total.since_ticks;
                if (began_under_it) {
                        growth = {growth.holder, process.user_ticks, process.system_ticks};
                        rest = process.reaped_ticks;
                }
                if (!total.is_new || began_under_it)
                        total.ticks +=
                                rest + (is_holder ? 0 : growth.user_ticks + growth.system_ticks);
        }
        late_credits_ = std::move(credits);
        last_.assign(processes.begin(), processes.end());
        for (const auto& process : processes)
                newest_started_ticks_ = std::max(newest_started_ticks_, process.started_ticks);
        is_first_ = false;
}

std::uint64_t Descendants::ticks(std::uint32_t holder) const {
        const auto total = totals_.find(holder);
        return total != totals_.end() ? total->second.ticks : 0;
}

std::uint32_t Descendants::processes(std::uint32_t holder) const {
        const auto total = totals_.find(holder);
        return total != totals_.end() ? total->second.processes : 0;
}

}  // namespace governor::probe
