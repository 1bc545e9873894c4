// SPDX-License-Identifier: MIT
// Straight from the virtual processes.
#include "simulation/world/facts.hpp"

#include <cmath>

namespace simulation {

namespace {

/// Lets the policy look back from the start of a scenario.
constexpr auto kStart = std::chrono::hours(1000);

Time time_of(double span_s) {
        return std::chrono::duration_cast<Time>(std::chrono::duration<double>(span_s));
}

}  // namespace

governor::policy::TimePoint time_point(Time at) {
        return governor::policy::TimePoint(
                std::chrono::duration_cast<std::chrono::steady_clock::duration>(at + kStart));
}

Time virtual_time(governor::policy::TimePoint at) {
        if (at == governor::registry::Schedule::kNever)
                return kNever;
        return std::chrono::duration_cast<Time>(at.time_since_epoch()) - kStart;
}

void Facts::add(ProgramId id, const Process& process) { processes_[id] = &process; }

void Facts::remove(ProgramId id) { processes_.erase(id); }

Confinement Facts::where(const Process& process) const {
        const auto& program = process.program();
        Confinement where{process.allowed(), {}, program.nice > 0, program.bound};
        for (auto at = process.program().cgroup; at; at = scenario_.cgroups[*at].parent) {
                const auto& group = scenario_.cgroups[*at];
                std::optional<std::uint32_t> quota;
                if (group.quota)
                        quota = static_cast<std::uint32_t>(std::ceil(*group.quota));
                where.groups.push_back({group.name, quota});
        }
        where.groups.push_back({"", std::nullopt});
        return where;
}

std::optional<Facts::Measured> Facts::measured(ProgramId id) {
        const auto& process = *processes_.at(id);
        return Measured{time_of(process.cpu_s()), process.stopped()};
}

/// A process that was killed is gone before anybody can look; one that says good-bye is not.
std::optional<std::chrono::nanoseconds> Facts::cpu_time(ProgramId id) {
        const auto& process = *processes_.at(id);
        if (process.phase() == Phase::Gone && !process.finished())
                return std::nullopt;
        return time_of(process.cpu_s());
}

std::optional<governor::evidence::TreeLook> Facts::look_at_tree(ProgramId id) {
        const auto& process = *processes_.at(id);
        return governor::evidence::TreeLook{time_of(process.cpu_s()), process.runs()};
}

std::optional<governor::evidence::LowUse::Reading>
Facts::low_use(ProgramId id, std::chrono::nanoseconds cpu_time) {
        const auto& process = *processes_.at(id);
        return governor::evidence::LowUse::Reading{cpu_time, time_of(process.thread_s()),
                                                   time_of(process.waited_s())};
}

std::string Facts::executable(ProgramId id) {
        return "/usr/bin/" + processes_.at(id)->program().name;
}

std::vector<std::optional<governor::evidence::Report>>
Facts::reports(std::span<const ProgramId> programs) {
        std::vector<std::optional<governor::evidence::Report>> reports;
        reports.reserve(programs.size());
        for (const auto id : programs)
                reports.emplace_back(processes_.at(id)->report(programs_->find(id)->held()));
        return reports;
}

}  // namespace simulation
