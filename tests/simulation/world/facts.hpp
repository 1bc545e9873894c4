// SPDX-License-Identifier: MIT
//
// The facts that the virtual kernel and shared memory tell the governing cycle.
#pragma once

#include "registry/cycle.hpp"
#include "simulation/scenario/scenario.hpp"
#include "simulation/world/process.hpp"

#include <map>

namespace simulation {

using governor::registry::Confinement;
using governor::registry::ProgramId;

/// The policy's clock at a virtual time.
[[nodiscard]] governor::policy::TimePoint time_point(Time at);
/// The virtual time of the policy's clock; kNever for Schedule::kNever.
[[nodiscard]] Time virtual_time(governor::policy::TimePoint at);

/// A process that no CPU is idle for says so itself; nothing here is guessed.
class Facts : public governor::registry::ProcessFacts, public governor::registry::ReportSource {
public:
        explicit Facts(const Scenario& scenario) : scenario_(scenario) {}

        /// `process` must live until remove().
        void add(ProgramId id, const Process& process);
        void remove(ProgramId id);
        /// Reports go by the grants that the cycle's programs hold.
        void follow(const governor::registry::Programs& programs) { programs_ = &programs; }
        /// Burned over the last period by threads that yield to all others.
        void set_yielding_millicpu(std::uint32_t millicpu) { yielding_millicpu_ = millicpu; }
        /// Burned over the last period by all else that is not governed.
        void set_ungoverned(governor::evidence::Ungoverned ungoverned) {
                ungoverned_ = std::move(ungoverned);
        }
        /// Threads of all else that is not governed that run now.
        void set_running(std::uint32_t threads) { running_ = threads; }
        [[nodiscard]] Confinement where(const Process& process) const;

        /// It is never too many processes.
        bool look(governor::policy::TimePoint, std::chrono::nanoseconds) override { return true; }
        std::optional<Measured> measured(ProgramId id) override;
        std::uint32_t yielding_millicpu() override { return yielding_millicpu_; }
        governor::evidence::Ungoverned ungoverned() override { return ungoverned_; }
        std::uint32_t running() override { return running_; }
        std::optional<std::chrono::nanoseconds> cpu_time(ProgramId id) override;
        /// Virtual processes have no descendants.
        std::optional<std::chrono::nanoseconds>
        cpu_time_at_tick(ProgramId id, governor::policy::TimePoint) override {
                return cpu_time(id);
        }
        bool have_descendants() override { return false; }
        std::optional<governor::evidence::TreeLook> look_at_tree(ProgramId id) override;
        bool is_stopped(ProgramId id) override { return processes_.at(id)->stopped(); }
        std::optional<governor::evidence::LowUse::Reading>
        low_use(ProgramId id, std::chrono::nanoseconds cpu_time) override;
        std::optional<Confinement> where(ProgramId id, governor::policy::TimePoint) override {
                return where(*processes_.at(id));
        }
        std::string executable(ProgramId id) override;

        std::vector<std::optional<governor::evidence::Report>>
        reports(std::span<const ProgramId> programs) override;

private:
        const Scenario& scenario_;
        const governor::registry::Programs* programs_ = nullptr;
        std::map<ProgramId, const Process*> processes_;
        std::uint32_t yielding_millicpu_ = 0;
        std::uint32_t running_ = 0;
        governor::evidence::Ungoverned ungoverned_;
};

}  // namespace simulation
