// SPDX-License-Identifier: MIT
//
// Checks that programs are told the truth about their grants.
#pragma once

#include "simulation/checks/invariant.hpp"

namespace simulation {

/// reasons, after every decision:
/// - the numbers that all have in common are those of the machine: CPUs in the pool, programs that
///   may run there, and their owners. The part left to foreign load is the one that the decision
///   says. Some CPUs are kept free for newcomers where those that came and went burned more than a
///   CPU
/// - `bound` is the number that the limit is about, and the grant agrees with it
class Reasons final : public Invariant {
public:
        using Invariant::Invariant;
        void decided(const World& world) override;

private:
        void check_division(const World& world, const Resident& resident,
                            const governor::policy::fair::Reason& common);
        void check_limit(const World& world, const Resident& resident);
};

}  // namespace simulation
