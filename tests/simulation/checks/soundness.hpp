// SPDX-License-Identifier: MIT
//
// Every decision for itself: grants are what they claim to be, and fit into the machine together.
#pragma once

#include "simulation/checks/invariant.hpp"

#include <vector>

namespace simulation {

/// - well-formed: a grant for every client that asks and is not to be ignored. It has at least one
///   thread, as many CPUs as threads, and only CPUs that the client may use. It has no more than
///   the client's maximum, its own or a rule's
/// - granted-once: no CPU is granted to two, unless it is said to be shared
/// - within-machine: grants and the part left to foreign load fit into the pool. Floors of one CPU
///   do not count, nor do the CPUs of newcomers, for which no program shrinks even when foreign
///   load comes
/// - within-quota: the same for control groups
/// - within-tree: the same for trees
/// - foreign-load: the part left to it is the part that it uses, as far as it may be
class Soundness final : public Invariant {
public:
        using Invariant::Invariant;
        void decided(const World& world) override;

private:
        void check_known(const World& world, const Resident& resident);
        void check_grant(const World& world, const Resident& resident);
        void check_owners(const World& world);
        void check_machine(const World& world);
        void check_trees(const World& world);
        void check_quotas(const World& world);
        void check_foreign(const World& world);

        std::vector<const Resident*> owners_;  // by CPU
};

}  // namespace simulation
