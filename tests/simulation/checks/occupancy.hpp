// SPDX-License-Identifier: MIT
//
// What really runs where, whatever the registry thinks.
#pragma once

#include "simulation/checks/invariant.hpp"

#include <map>

namespace simulation {

/// occupied-once: no CPU was given to the teams of two programs that tell the truth, at the same
/// time; unless one was told that it shares it, is or was stopped in the middle, or has not
/// followed for Settings::handover_max.
class Occupancy final : public Invariant {
public:
        using Invariant::Invariant;
        void decided(const World& world) override;
        void ended(const World& world, const Resident& resident) override;
        void passes(const World& world, Time span) override;

private:
        [[nodiscard]] bool counts(const World& world, const Resident& resident) const;
        void find(const World& world);

        std::map<std::size_t, Time> above_since_;       // by Resident::number
        std::map<std::size_t, std::uint64_t> lent_by_;  // likewise, and Process::epoch()
        CpuMask seen_;
};

}  // namespace simulation
