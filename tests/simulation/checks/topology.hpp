// SPDX-License-Identifier: MIT
//
// Checks the choice among CPUs that differ in nothing but their places.
#pragma once

#include "simulation/checks/invariant.hpp"

#include <map>
#include <vector>

namespace simulation {

/// whole-cores, after every decision in which nobody's CPUs depend on anything but places: no
/// foreign load, no cpusets, and all programs are honest.
/// - A program that shrinks while another waits for CPUs keeps parts of few of the cores that it
/// had
///   for itself: (SMT threads - 1) at most. It gives up shared cores first, then whole ones, and
///   CPUs of another one at last.
/// - A program that grows takes cores that nobody is on first. Its CPUs of cores that it shares
///   with others are fewer than a core has, while such a core is left free altogether.
/// - No program has two CPUs of a core while a core is free altogether. This holds while no program
///   waits for CPUs, a newcomer included, or runs on more than its share.
///
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
        void check_apart(const World& world, const Resident& resident,
                         std::uint32_t smallest_free_core);
        [[nodiscard]] static bool has_another_owner(const World& world, const Resident& resident,
                                                    const CpuMask& core);
        [[nodiscard]] bool is_shared(const World& world, const Resident& resident,
                                     const CpuMask& core) const;
        [[nodiscard]] std::uint32_t smallest_free_core(const World& world) const;

        std::map<std::size_t, Before> before_;  // by Resident::number
};

}  // namespace simulation
