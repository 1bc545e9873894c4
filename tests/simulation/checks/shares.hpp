// SPDX-License-Identifier: MIT
//
// Everybody comes to what is his, and nothing lies idle that somebody could use.
#pragma once

#include "simulation/checks/invariant.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace simulation {

/// Looked at after every sample:
/// - starvation: an honest program that is not idle does not stay more than kTolerance CPUs below
///   its entitlement for longer than things take to settle; one more where there are more programs
///   than CPUs, since everybody has one at least. Who pauses is entitled to no more than the
///   registry believes that it wants. While programs do not follow, the others keep at least the
///   part that they keep from foreign load
/// - conservation: who can always use one CPU more does not stay below its maximum so long while there are CPUs that nobody has
/// And after every decision:
/// - newcomers: nobody shrinks below what is his without the newcomers
class Shares final : public Invariant {
public:
        /// Whole CPUs are dealt to accounts first and then to their programs: both are rounded.
        static constexpr double kTolerance = 1.5;

        using Invariant::Invariant;
        void decided(const World& world) override;
        void ended(const World& world, const Resident& resident) override;

private:
        struct Watch {
                CpuMask cpus;               // granted
                Time below_since = kNever;  // its entitlement
                Time could_since = kNever;  // have a CPU that nobody has
                Time patience{0};           // the longest settling time since then
        };

        void check_newcomers(const World& world);
        void check_shares(const World& world);
        void watch_starvation(const World& world, const Resident& resident, double entitled);
        /// `max` is the program's or a rule's; 0: none.
        void watch_conservation(const World& world, const Resident& resident, std::uint32_t max,
                                const CpuMask& unused);

        std::map<std::size_t, Watch> watches_;  // by Resident::number
        Time next_look_{0};
        Time rigid_ = kNever;  // somebody was, last
};

}  // namespace simulation
