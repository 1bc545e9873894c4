// SPDX-License-Identifier: MIT
// From the probe's words to the registry's.
#include "server/sharing/process_meter.hpp"

#include "evidence/burn_window.hpp"
#include "policy/permyriad.hpp"
#include "probe/affinity.hpp"
#include "probe/loadavg.hpp"
#include "probe/pid_schedstat.hpp"
#include "probe/pid_status.hpp"
#include "probe/program.hpp"
#include "registry/program.hpp"

#include <unistd.h>
#include <utility>

namespace governor::server {

namespace {

/// The clocks of so many threads are added up.
constexpr std::uint32_t kMostThreadsOfProcess = 4096;

}  // namespace

policy::Account account_of(std::uint32_t uid, std::optional<std::uint32_t> owner) {
        return {uid == 0 ? 0 : owner.value_or(uid)};
}

ProcessMeter::ProcessMeter(const std::string& root)
        : ticks_per_second_(static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK))), root_(root),
          clock_(root), confinement_(root), processes_(root),
          yielding_(confinement_.cgroups(), ticks_per_second_), trees_(root) {}

std::optional<ProcessMeter::Where>
ProcessMeter::where(std::uint32_t pid, const policy::CpuMask& claimed, TimePoint now) {
        probe::Confinement found;
        if (confinement_.read(pid, now, found) < 0)
                return std::nullopt;
        confinement_.add_claimed(pid, claimed, found.cpus);
        Where where;
        where.owner = found.owner;
        where.threads = found.threads;
        where.confinement.cpus = std::move(found.cpus);
        for (auto& group : found.groups)
                where.confinement.groups.push_back({std::move(group.path), group.quota});
        where.confinement.bound = !claimed.empty();
        where.confinement.niced = probe::read_nice(pid) > 0;
        return where;
}

bool ProcessMeter::scan(std::span<const Holder> holders, TimePoint now,
                        const probe::ProcessScan::IsOver& is_over) {
        if (processes_.take(is_over) < 0)
                return false;
        std::vector<probe::Descendants::Holder> since;
        since.reserve(holders.size());
        for (const auto& [pid, arrived] : holders)
                since.push_back({pid, probe::time_to_ticks(arrived, ticks_per_second_)});
        const auto before = yielding_.total();
        descendants_.add(processes_.processes(), since);
        yielding_.add(processes_.processes(), descendants_.growth(), now);
        const auto elapsed = now - scanned_at_.value_or(now);
        owned_.add(processes_.processes(), descendants_.growth(),
                   [&](std::uint32_t pid) { return run_by(pid, now); });
        count_owned(elapsed);
        yielding_millicpu_ = evidence::millicpu(yielding_.total() - before, elapsed);
        follow_descendants(holders, elapsed);
        scanned_at_ = now;
        return true;
}

void ProcessMeter::drop_scan() {
        processes_.drop();
        yielding_millicpu_ = 0;
        ungoverned_.owners.clear();
        scanned_at_.reset();
}

/// The real uid. The owner of /proc/PID is root where a process may not be dumped, and the
/// effective uid is another user's where it runs his set-user-ID program.
std::optional<std::uint32_t> ProcessMeter::run_by(std::uint32_t pid, TimePoint now) {
        std::string_view text;
        if (yielding_.is_in_idle_group(pid) ||
            files_.read_short(root_ + "/proc/" + std::to_string(pid) + "/status", text) < 0)
                return std::nullopt;
        const auto uid = probe::parse_real_uid(text);
        return uid ? account_of(*uid, confinement_.owner(pid, now)).uid : std::nullopt;
}

void ProcessMeter::count_owned(std::chrono::nanoseconds elapsed) {
        ungoverned_ = {};
        ungoverned_.niced_permyriad =
                static_cast<std::uint32_t>(owned_.niced_part() * policy::kPermyriad);
        const std::chrono::nanoseconds tick = probe::ticks_to_time(1, ticks_per_second_);
        const auto millicpu_of = [&](double ticks) {
                return evidence::millicpu(
                        std::chrono::duration_cast<std::chrono::nanoseconds>(ticks * tick),
                        elapsed);
        };
        for (const auto& [uid, used] : owned_.by_owner())
                ungoverned_.owners.push_back({registry::account_id({uid}), millicpu_of(used.ticks),
                                              millicpu_of(used.niced)});
}

/// CPU time that a scan finds beside what was expected is not made up for: it was burned long ago,
/// as seen from a tick.
void ProcessMeter::follow_descendants(std::span<const Holder> holders,
                                      std::chrono::nanoseconds elapsed) {
        std::map<std::uint32_t, Grown> grown;
        for (const auto& holder : holders) {
                const auto used =
                        probe::ticks_to_time(descendants_.ticks(holder.pid), ticks_per_second_);
                const auto last = grown_.find(holder.pid);
                if (used.count() == 0)
                        continue;
                const auto before = last != grown_.end() ? last->second : Grown{};
                const auto expected =
                        before.expected +
                        std::chrono::duration_cast<std::chrono::nanoseconds>(before.rate * elapsed);
                const double rate = elapsed.count() > 0
                                            ? std::chrono::duration<double>(used - before.used) /
                                                      std::chrono::duration<double>(elapsed)
                                            : 0;
                grown[holder.pid] = {used, expected, std::max(rate, 0.0)};
        }
        grown_ = std::move(grown);
}

std::optional<std::chrono::nanoseconds> ProcessMeter::cpu_time_at_tick(std::uint32_t pid,
                                                                       TimePoint now) {
        if (root_.empty() && probe::count_threads(pid) > kMostThreadsOfProcess)
                return std::nullopt;
        std::chrono::nanoseconds own{0};
        if (clock_.read(pid, own) < 0)
                return std::nullopt;
        const auto grown = grown_.find(pid);
        if (grown == grown_.end())
                return own;
        const auto& [used, expected, rate] = grown->second;
        return own + expected +
               std::chrono::duration_cast<std::chrono::nanoseconds>(
                       rate * (now - scanned_at_.value_or(now)));
}

std::optional<std::chrono::nanoseconds> ProcessMeter::cpu_time(std::uint32_t pid) {
        if (root_.empty() && probe::count_threads(pid) > kMostThreadsOfProcess)
                return std::nullopt;
        return read_cpu_time(pid);
}

std::optional<std::chrono::nanoseconds> ProcessMeter::cpu_time(std::uint32_t pid,
                                                               const Where& where) {
        return where.threads <= kMostThreadsOfProcess ? read_cpu_time(pid) : std::nullopt;
}

std::optional<std::chrono::nanoseconds> ProcessMeter::read_cpu_time(std::uint32_t pid) {
        std::chrono::nanoseconds own{0};
        if (clock_.read(pid, own) < 0)
                return std::nullopt;
        return own + probe::ticks_to_time(descendants_.ticks(pid), ticks_per_second_);
}

std::optional<std::chrono::nanoseconds> ProcessMeter::cpu_time_at_scan(std::uint32_t pid) {
        const auto* process = root_.empty() ? nullptr : processes_.find(pid);
        if (process == nullptr)
                return read_cpu_time(pid);
        return probe::ticks_to_time(process->own_ticks() + descendants_.ticks(pid),
                                    ticks_per_second_);
}

bool ProcessMeter::is_stopped(std::uint32_t pid) const {
        const auto* process = processes_.find(pid);
        return process != nullptr && process->is_stopped();
}

std::optional<evidence::LowUse::Reading> ProcessMeter::low_use(std::uint32_t pid,
                                                               std::chrono::nanoseconds cpu_time) {
        std::string_view text;
        if (files_.read_short(root_ + "/proc/" + std::to_string(pid) + "/schedstat", text) < 0)
                return std::nullopt;
        const auto thread = probe::parse_pid_schedstat(text);
        if (!thread)
                return std::nullopt;
        return evidence::LowUse::Reading{cpu_time, thread->cpu_time, thread->waited};
}

std::uint32_t ProcessMeter::running() {
        std::string_view text;
        if (files_.read_short(root_ + "/proc/loadavg", text) < 0)
                return 0;
        return std::max(probe::parse_running(text).value_or(1), 1U) - 1;
}

std::optional<probe::PidStat> ProcessMeter::first_thread(std::uint32_t pid) {
        const auto number = std::to_string(pid);
        std::string_view text;
        if (files_.read_short(root_ + "/proc/" + number + "/task/" + number + "/stat", text) < 0)
                return std::nullopt;
        return probe::parse_pid_stat(text);
}

std::optional<evidence::TreeLook> ProcessMeter::look_at_tree(std::uint32_t pid) {
        const auto look = trees_.read(pid);
        if (!look)
                return std::nullopt;
        return evidence::TreeLook{probe::ticks_to_time(look->ticks, ticks_per_second_),
                                  look->is_runnable};
}

bool ProcessMeter::is_stopped_now(std::uint32_t pid) {
        const auto process = processes_.read(pid);
        return process && process->is_stopped();
}

}  // namespace governor::server
