// SPDX-License-Identifier: MIT
// From programs to their processes.
#include "server/sharing/lease_facts.hpp"

#include "probe/program.hpp"
#include "server/kernel/event_loop.hpp"

#include <vector>

namespace governor::server {

bool LeaseFacts::look(TimePoint now, std::chrono::nanoseconds at_most) {
        std::vector<ProcessMeter::Holder> holders;
        leases_.for_each([&](const Lease& lease) {
                holders.push_back({lease.pid, lease.arrived});
        });
        has_looked_ = true;
        if (holders.empty()) {
                meter_.drop_scan();
        } else {
                const auto until = EventLoop::now() + at_most;
                has_looked_ =
                        meter_.scan(holders, now, [until] { return EventLoop::now() >= until; });
        }
        return has_looked_;
}

std::optional<LeaseFacts::Measured> LeaseFacts::measured(ProgramId id) {
        const auto* lease = leases_.find(id);
        if (lease == nullptr || (!has_looked_ && may_have_descendants(lease->pid)))
                return std::nullopt;
        const auto used = meter_.cpu_time_at_scan(lease->pid);
        if (!used)
                return std::nullopt;
        return Measured{*used, has_looked_ ? meter_.is_stopped(lease->pid)
                                           : meter_.is_stopped_now(lease->pid)};
}

std::optional<std::chrono::nanoseconds> LeaseFacts::cpu_time(ProgramId id) {
        const auto* lease = leases_.find(id);
        return lease != nullptr ? meter_.cpu_time(lease->pid) : std::nullopt;
}

std::optional<std::chrono::nanoseconds> LeaseFacts::cpu_time_at_tick(ProgramId id, TimePoint now) {
        const auto* lease = leases_.find(id);
        return lease != nullptr ? meter_.cpu_time_at_tick(lease->pid, now) : std::nullopt;
}

/// One that was not there at the last scan may have some by now.
bool LeaseFacts::may_have_descendants(std::uint32_t pid) const {
        return !meter_.at_scan(pid) || meter_.processes(pid) > 0;
}

bool LeaseFacts::have_descendants() {
        bool have = false;
        leases_.for_each(
                [&](const Lease& lease) { have = have || may_have_descendants(lease.pid); });
        return have;
}

std::optional<evidence::TreeLook> LeaseFacts::look_at_tree(ProgramId id) {
        const auto* lease = leases_.find(id);
        return lease != nullptr ? meter_.look_at_tree(lease->pid) : std::nullopt;
}

bool LeaseFacts::is_stopped(ProgramId id) {
        const auto* lease = leases_.find(id);
        return lease != nullptr && meter_.is_stopped_now(lease->pid);
}

std::optional<evidence::LowUse::Reading> LeaseFacts::low_use(ProgramId id,
                                                             std::chrono::nanoseconds cpu_time) {
        const auto* lease = leases_.find(id);
        return lease != nullptr ? meter_.low_use(lease->pid, cpu_time) : std::nullopt;
}

std::optional<registry::Confinement> LeaseFacts::where(ProgramId id, TimePoint now) {
        const auto* lease = leases_.find(id);
        auto where =
                lease != nullptr ? meter_.where(lease->pid, lease->affinity, now) : std::nullopt;
        return where ? std::optional(std::move(where->confinement)) : std::nullopt;
}

std::string LeaseFacts::executable(ProgramId id) {
        const auto* lease = leases_.find(id);
        return lease != nullptr ? probe::read_executable(root_, lease->pid) : std::string();
}

}  // namespace governor::server
