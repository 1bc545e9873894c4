// SPDX-License-Identifier: MIT
//
// Checks that every program comes to its share, and that no CPU lies idle that a program could use.
#pragma once

#include "simulation/checks/invariant.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace simulation {

/// Looked at after every sample:
/// - starvation: an honest program that is not idle does not stay further below its entitlement
///   than tolerance() for longer than things take to settle. A program that pauses is entitled to
///   no more than the registry believes that it wants. While programs do not follow or are charged
///   for that, it is entitled to no more than a part of what it would have without them and without
///   foreign load: the part that it keeps from foreign load
/// - conservation: a program that can always use one CPU more does not stay below its maximum for
///   that long while there are CPUs that nobody has
///
/// And after every decision:
/// - newcomers: no program shrinks below its share without the newcomers of a stream, but trees
/// that
///   take turns. (A stream is of users of whom three programs ended within a second of late.) CPUs
///   that others of its account have rounded up to whole ones are not its share
class Shares final : public Invariant {
public:
        /// Whole CPUs are dealt to accounts first and then to their programs: both are rounded, and
        /// divisor methods may be off by more than one where there are many small shares.
        static constexpr double kTolerance = 1.25;
        static constexpr double kMediumTolerance = 0.99;  ///< 5 to 8 CPUs
        static constexpr double kSmallTolerance = 0.7;    ///< up to 4
        /// So many programs that live for less than a second are a stream.
        static constexpr int kStream = 3;
        /// In the pool of `world`.
        [[nodiscard]] static double tolerance(const World& world);

        using Invariant::Invariant;
        void decided(const World& world) override;
        void ended(const World& world, const Resident& resident) override;

private:
        struct Watch {
                CpuMask cpus;               // granted for itself
                Time below_since = kNever;  // its entitlement
                Time could_since = kNever;  // have a CPU that nobody has
                Time patience{0};           // the longest settling time since then
        };

        /// Some program is rigid, or may have been, and readings may say so still.
        [[nodiscard]] bool was_rigid(const World& world) const;
        void check_newcomers(const World& world);
        void check_shares(const World& world);
        void watch_starvation(const World& world, const Resident& resident, double entitled);
        /// `max` is the program's or a rule's; 0: none.
        void watch_conservation(const World& world, const Resident& resident, std::uint32_t max,
                                const CpuMask& unused);

        [[nodiscard]] bool is_in_stream(const World& world, const Resident& resident) const;

        std::map<std::size_t, Watch> watches_;                    // by Resident::number
        std::map<std::uint32_t, std::vector<Time>> short_lived_;  // by user: when they ended
        Time next_look_{0};
        Time rigid_ = kNever;  // some program was, last
};

}  // namespace simulation
