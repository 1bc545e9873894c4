// SPDX-License-Identifier: MIT
// A walk through /proc.
#include "probe/process_scan.hpp"

#include "probe/process_clock.hpp"
#include "probe/text.hpp"

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <utility>

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

std::vector<std::size_t> read_before_parents(std::span<const PidStat> processes) {
        if (std::ranges::none_of(processes, [](const PidStat& p) { return p.ppid > p.pid; }))
                return {};
        const auto depth = depths(processes);
        std::vector<std::size_t> by_depth(processes.size());
        std::iota(by_depth.begin(), by_depth.end(), std::size_t{0});
        std::ranges::stable_sort(by_depth, {}, [&](std::size_t i) { return depth[i]; });
        std::vector<bool> is_early(processes.size(), false);
        std::vector<std::size_t> early;
        for (const auto i : by_depth) {
                const auto& process = processes[i];
                const auto* parent = find_process(processes, process.ppid);
                if (parent == nullptr || parent == &process ||
                    (parent < &process &&
                     !is_early[static_cast<std::size_t>(parent - processes.data())]))
                        continue;
                is_early[i] = true;
                early.push_back(i);
        }
        return early;
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

ProcessScan::Seen* ProcessScan::find_seen(std::vector<Seen>& seen, std::uint32_t pid) {
        const auto it = std::ranges::lower_bound(seen, pid, {},
                                                 [](const Seen& one) { return one.stat.pid; });
        return it != seen.end() && it->stat.pid == pid ? &*it : nullptr;
}

/// `pids` are those of this scan: a process that has lost its parent has another one.
const ProcessScan::Seen* ProcessScan::unchanged(std::uint32_t pid,
                                                std::chrono::nanoseconds cpu_time,
                                                const std::vector<std::uint32_t>& pids) {
        const auto* seen = find_seen(seen_, pid);
        const bool is_so = seen != nullptr && seen->cpu_time == cpu_time && pid % kTurns != turn_ &&
                           std::ranges::binary_search(pids, seen->stat.ppid);
        return is_so ? seen : nullptr;
}

void ProcessScan::read_first(Begun& scan, std::uint32_t pid) {
        if (pid % kTurns != turn_ && std::ranges::binary_search(kernel_threads_, pid)) {
                scan.kernel_threads.push_back(pid);
                return;
        }
        // First the clock: what runs between the two is seen at the next scan.
        const auto cpu_time = clock_ ? clock_(pid) : std::nullopt;
        const auto* last = cpu_time ? unchanged(pid, *cpu_time, scan.pids) : nullptr;
        const auto process = last != nullptr ? std::optional(last->stat) : read(pid);
        if (process && process->is_kernel_thread) {
                scan.kernel_threads.push_back(pid);
        } else if (process) {
                scan.processes.push_back(*process);
                if (cpu_time)
                        scan.seen.push_back({*cpu_time, *process});
        }
}

/// One that has not run since it was read is as it was then.
void ProcessScan::read_again(Begun& scan, PidStat& process) {
        const auto cpu_time = clock_ ? clock_(process.pid) : std::nullopt;
        auto* seen = cpu_time ? find_seen(scan.seen, process.pid) : nullptr;
        if (seen != nullptr && seen->cpu_time == *cpu_time)
                return;
        const auto stat = read(process.pid);
        if (!stat) {
                scan.gone.push_back(process.pid);
                return;
        }
        process = *stat;
        if (seen != nullptr)
                *seen = {*cpu_time, *stat};
}

int ProcessScan::begin() {
        Directory proc(::opendir((root_ + "/proc").c_str()), ::closedir);
        if (!proc)
                return -errno;
        turn_ = (turn_ + 1) % kTurns;
        begun_ = Begun{};
        begun_->proc = std::move(proc);
        return 0;
}

/// Each step does something before it asks whether its time is over. True: it is done.
bool ProcessScan::list(Begun& scan, const IsOver& is_over) {
        while (scan.proc) {
                const auto* entry = ::readdir(scan.proc.get());
                if (entry == nullptr) {
                        std::ranges::sort(scan.pids);
                        scan.proc.reset();
                } else if (const auto pid = parse_number<std::uint32_t>(entry->d_name)) {
                        scan.pids.push_back(*pid);
                }
                if (is_over())
                        return false;
        }
        return true;
}

bool ProcessScan::read_all(Begun& scan, const IsOver& is_over) {
        while (scan.read < scan.pids.size()) {
                read_first(scan, scan.pids[scan.read++]);
                if (is_over())
                        return false;
        }
        return true;
}

bool ProcessScan::read_after_parents(Begun& scan, const IsOver& is_over) {
        if (!scan.early) {
                scan.early = read_before_parents(scan.processes);
                if (is_over())
                        return false;
        }
        while (scan.read_again < scan.early->size()) {
                read_again(scan, scan.processes[(*scan.early)[scan.read_again++]]);
                if (is_over())
                        return false;
        }
        return true;
}

void ProcessScan::end(Begun& scan) {
        std::ranges::sort(scan.gone);
        const auto has_gone = [&](std::uint32_t pid) {
                return std::ranges::binary_search(scan.gone, pid);
        };
        if (!scan.gone.empty()) {
                std::erase_if(scan.processes, [&](const auto& stat) { return has_gone(stat.pid); });
                std::erase_if(scan.seen, [&](const auto& one) { return has_gone(one.stat.pid); });
        }
        processes_ = std::move(scan.processes);
        kernel_threads_ = std::move(scan.kernel_threads);
        seen_ = std::move(scan.seen);
        begun_.reset();
}

int ProcessScan::take(const IsOver& is_over) {
        if (!begun_)
                if (const int result = begin(); result < 0)
                        return result;
        const IsOver over = is_over ? is_over : [] { return false; };
        if (!list(*begun_, over) || !read_all(*begun_, over) || !read_after_parents(*begun_, over))
                return -EAGAIN;
        end(*begun_);
        return 0;
}

const PidStat* ProcessScan::find(std::uint32_t pid) const { return find_process(processes_, pid); }

}  // namespace governor::probe
