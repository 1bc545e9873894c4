// SPDX-License-Identifier: MIT
//
// What really runs where, whatever the registry thinks.
#pragma once

#include "simulation/checks/invariant.hpp"

#include <map>

namespace simulation {

/// occupied-once: no CPU was promised to the teams of two programs that tell the truth, at the same
/// time. The promise of a grant that is its own alone holds until the end of the region; but not if
/// meanwhile it was stopped, was told that it shares, was left alone because all its CPUs went, or
/// has not followed a later grant for Settings::handover_max.
class Occupancy final : public Invariant {
public:
        using Invariant::Invariant;
        void decided(const World& world) override;
        void ended(const World& world, const Resident& resident) override;
        void passes(const World& world, Time span) override;

private:
        [[nodiscard]] bool counts(const World& world, const Resident& resident) const;
        void find(const World& world);

        std::map<std::size_t, Time> above_since_;      // by Resident::number
        std::map<std::size_t, std::uint64_t> broken_;  // likewise: Process::epoch() of the promise
        CpuMask seen_;
};

}  // namespace simulation
