// SPDX-License-Identifier: MIT
//
// Facts that the kernel tells of the processes that hold leases, by program.
#pragma once

#include "registry/facts.hpp"
#include "server/sharing/leases.hpp"
#include "server/sharing/process_meter.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace governor::server {

/// Not thread-safe. Costs as the functions of ProcessMeter do.
class LeaseFacts : public registry::ProcessFacts {
public:
        /// `leases` and `meter` must outlive this. Reads below `root`, which is empty for this
        /// machine.
        LeaseFacts(Leases& leases, ProcessMeter& meter, const std::string& root)
                : leases_(leases), meter_(meter), root_(root) {}

        bool look(TimePoint now, std::chrono::nanoseconds at_most) override;
        std::optional<Measured> measured(ProgramId id) override;
        std::uint32_t yielding_millicpu() override { return meter_.yielding_millicpu(); }
        evidence::Ungoverned ungoverned() override { return meter_.ungoverned(); }
        std::uint32_t running() override { return meter_.running(); }
        std::optional<std::chrono::nanoseconds> cpu_time(ProgramId id) override;
        std::optional<std::chrono::nanoseconds> cpu_time_at_tick(ProgramId id,
                                                                 TimePoint now) override;
        bool have_descendants() override;
        std::optional<evidence::TreeLook> look_at_tree(ProgramId id) override;
        bool is_stopped(ProgramId id) override;
        std::optional<evidence::LowUse::Reading>
        low_use(ProgramId id, std::chrono::nanoseconds cpu_time) override;
        std::optional<registry::Confinement> where(ProgramId id, TimePoint now) override;
        std::string executable(ProgramId id) override;

private:
        [[nodiscard]] bool may_have_descendants(std::uint32_t pid) const;

        Leases& leases_;
        ProcessMeter& meter_;
        std::string root_;
        bool has_looked_ = false;  // the last look has ended
};

}  // namespace governor::server
