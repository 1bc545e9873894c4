// SPDX-License-Identifier: MIT
// A walk through /proc.
#include "probe/process_scan.hpp"

#include "probe/process_clock.hpp"
#include "probe/text.hpp"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <memory>
#include <numeric>

namespace governor::probe {

namespace {

constexpr std::uint32_t kUnknown = UINT32_MAX;

/// The distance of each process from the top of its tree.
std::vector<std::uint32_t> depths(std::span<const PidStat> processes) {
        std::vector<std::uint32_t> depths(processes.size(), kUnknown);
        std::vector<std::size_t> path;
        for (std::size_t start = 0; start < processes.size(); start++) {
                std::size_t i = start;
                std::uint32_t depth = 0;
                while (depths[i] == kUnknown) {
                        depths[i] = 0;  // ends the walk should a pid have come again: no cycles
                        path.push_back(i);
                        const auto* parent = find_process(processes, processes[i].ppid);
                        if (parent == nullptr)
                                break;
                        i = static_cast<std::size_t>(parent - processes.data());
                        depth = depths[i] == kUnknown ? 0 : depths[i] + 1;
                }
                for (; !path.empty(); path.pop_back())
                        depths[path.back()] = depth++;
        }
        return depths;
}

}  // namespace

const PidStat* find_process(std::span<const PidStat> processes, std::uint32_t pid) {
        const auto it = std::ranges::lower_bound(processes, pid, {}, &PidStat::pid);
        return it != processes.end() && it->pid == pid ? &*it : nullptr;
}

void read_after_parents(std::vector<PidStat>& processes,
                        const std::function<std::optional<PidStat>(std::uint32_t pid)>& read) {
        if (std::ranges::none_of(processes, [](const PidStat& p) { return p.ppid > p.pid; }))
                return;
        const auto depth = depths(processes);
        std::vector<std::size_t> by_depth(processes.size());
        std::iota(by_depth.begin(), by_depth.end(), std::size_t{0});
        std::ranges::stable_sort(by_depth, {}, [&](std::size_t i) { return depth[i]; });
        std::vector<bool> again(processes.size(), false);
        std::vector<std::uint32_t> gone;
        for (const auto i : by_depth) {
                auto& process = processes[i];
                const auto* parent = find_process(processes, process.ppid);
                if (parent == nullptr || parent == &process ||
                    (parent < &process &&
                     !again[static_cast<std::size_t>(parent - processes.data())]))
                        continue;
                again[i] = true;
                if (const auto stat = read(process.pid))
                        process = *stat;
                else
                        gone.push_back(process.pid);
        }
        std::ranges::sort(gone);
        std::erase_if(processes, [&](const PidStat& process) {
                return std::ranges::binary_search(gone, process.pid);
        });
}

ProcessScan::ProcessScan(std::string root) : root_(std::move(root)) {
        if (!root_.empty())
                return;
        clock_ = [clock = ProcessClock("")](std::uint32_t pid) mutable {
                std::chrono::nanoseconds cpu_time{0};
                return clock.read(pid, cpu_time) == 0 ? std::optional(cpu_time) : std::nullopt;
        };
}

std::optional<PidStat> ProcessScan::read(std::uint32_t pid) {
        std::string_view text;
        if (files_.read_short(root_ + "/proc/" + std::to_string(pid) + "/stat", text) < 0)
                return std::nullopt;
        const auto stat = parse_pid_stat(text);
        return stat && stat->pid == pid ? stat : std::nullopt;
}

/// `pids` are those of now: a process that has lost its parent has another one.
const ProcessScan::Seen* ProcessScan::unchanged(std::uint32_t pid,
                                                std::chrono::nanoseconds cpu_time,
                                                const std::vector<std::uint32_t>& pids) const {
        const auto it = std::ranges::lower_bound(seen_, pid, {},
                                                 [](const Seen& seen) { return seen.stat.pid; });
        const bool is_so = it != seen_.end() && it->stat.pid == pid && it->cpu_time == cpu_time &&
                           pid % kTurns != turn_ && std::ranges::binary_search(pids, it->stat.ppid);
        return is_so ? &*it : nullptr;
}

void ProcessScan::read_all(const std::vector<std::uint32_t>& pids) {
        std::vector<std::uint32_t> kernel_threads;
        std::vector<Seen> seen;
        processes_.clear();
        turn_ = (turn_ + 1) % kTurns;
        for (const auto pid : pids) {
                if (pid % kTurns != turn_ && std::ranges::binary_search(kernel_threads_, pid)) {
                        kernel_threads.push_back(pid);
                        continue;
                }
                // First the clock: what runs between the two is seen at the next scan.
                const auto cpu_time = clock_ ? clock_(pid) : std::nullopt;
                const auto* last = cpu_time ? unchanged(pid, *cpu_time, pids) : nullptr;
                const auto process = last != nullptr ? std::optional(last->stat) : read(pid);
                if (process && process->is_kernel_thread) {
                        kernel_threads.push_back(pid);
                } else if (process) {
                        processes_.push_back(*process);
                        if (cpu_time)
                                seen.push_back({*cpu_time, *process});
                }
        }
        kernel_threads_ = std::move(kernel_threads);
        seen_ = std::move(seen);
}

int ProcessScan::take() {
        const std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir((root_ + "/proc").c_str()),
                                                       ::closedir);
        if (!proc)
                return -errno;
        std::vector<std::uint32_t> pids;
        while (const auto* entry = ::readdir(proc.get()))
                if (const auto pid = parse_number<std::uint32_t>(entry->d_name))
                        pids.push_back(*pid);
        std::ranges::sort(pids);
        read_all(pids);
        read_after_parents(processes_, [this](std::uint32_t pid) { return read(pid); });
        return 0;
}

const PidStat* ProcessScan::find(std::uint32_t pid) const { return find_process(processes_, pid); }

}  // namespace governor::probe
