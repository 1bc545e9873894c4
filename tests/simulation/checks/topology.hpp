// SPDX-License-Identifier: MIT
//
// Which CPUs, where all that differs is their places.
#pragma once

#include "simulation/checks/invariant.hpp"

#include <map>
#include <vector>

namespace simulation {

/// whole-cores, after every decision in which nobody's CPUs depend on anything but places: no
/// foreign load, no cpusets, and everybody is honest.
/// - Of the cores that were his alone, who shrinks keeps parts of no more than SMT threads - 1: he
///   gives up shared cores first, then whole ones, and CPUs of another one at last.
/// - Who grows does not get as many CPUs of cores that he does not get whole as a core has that is
///   left free altogether: he takes whole cores first.
/// Grants are not moved to make cores whole again, so that nothing holds for how many are shared in
/// the long run.
class Topology final : public Invariant {
public:
        using Invariant::Invariant;
        void deciding(const World& world) override;
        void decided(const World& world) override;

private:
        struct Before {
                CpuMask granted;  // for itself alone
                CpuMask occupied;
        };

        [[nodiscard]] static bool only_places_matter(const World& world);
        void check_shrunk(const World& world, const Resident& resident, const Before& before);
        void check_grown(const World& world, const Resident& resident, const Before& before,
                         std::uint32_t smallest_free_core);
        [[nodiscard]] std::uint32_t smallest_free_core(const World& world) const;

        std::map<std::size_t, Before> before_;  // by Resident::number
};

}  // namespace simulation
