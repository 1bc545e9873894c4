// SPDX-License-Identifier: MIT
//
// Reports of programs, read from shared memory.
#pragma once

#include "registry/facts.hpp"
#include "server/sharing/leases.hpp"

#include <optional>
#include <span>
#include <vector>

namespace governor::server {

/// Not thread-safe. Costs a system call per 200 slots up to the highest one that is asked for, of
/// each arena, and 0.2 us per program.
class Reports : public registry::ReportSource {
public:
        /// `leases` must outlive this.
        explicit Reports(Leases& leases) : leases_(leases) {}

        std::vector<std::optional<evidence::Report>>
        reports(std::span<const ProgramId> programs) override;

private:
        Leases& leases_;
};

}  // namespace governor::server
