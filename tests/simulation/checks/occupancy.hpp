// SPDX-License-Identifier: MIT
//
// Checks what really runs where, whatever the registry thinks.
#pragma once

#include "simulation/checks/invariant.hpp"

#include <map>

namespace simulation {

/// occupied-once: no CPU was promised to the teams of two programs that tell the truth, at the same
/// time. The promise of a grant that is its own alone holds until the end of the region. The
/// promise ends earlier if the program was stopped, was told that it shares, was left alone because
/// all its CPUs went, or has not followed a later grant for Settings::handover_max. CPUs that a
/// program was granted when it began or woke up are promised to it beside the holder, which was
/// told to leave them and has Settings::handover_max to do so.
class Occupancy final : public Invariant {
public:
        using Invariant::Invariant;
        void decided(const World& world) override;
        void ended(const World& world, const Resident& resident) override;
        void passes(const World& world, Time span) override;

private:
        /// The CPUs that a program was granted first, or when it woke up, and has had since.
        struct Begun {
                bool may_begin = true;
                CpuMask granted;
                CpuMask cpus;
        };

        void note_begin(const World& world, const Resident& resident,
                        const governor::policy::fair::Grant& grant);
        [[nodiscard]] bool counts(const World& world, const Resident& resident) const;
        [[nodiscard]] CpuMask settled(const World& world, const Resident& resident) const;
        void find(const World& world);

        std::map<std::size_t, Time> above_since_;      // by Resident::number
        std::map<std::size_t, std::uint64_t> broken_;  // likewise: Process::epoch() of the promise
        std::map<std::size_t, Begun> begun_;           // likewise
};

}  // namespace simulation
