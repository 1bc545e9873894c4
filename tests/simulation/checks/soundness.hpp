// SPDX-License-Identifier: MIT
//
// Every decision for itself: grants are what they claim to be, and fit into the machine together.
#pragma once

#include "simulation/checks/invariant.hpp"

#include <vector>

namespace simulation {

/// - well-formed: a grant for everybody who asks and is not to be ignored; at least one thread, as
///   many CPUs as threads, CPUs that the client may use, no more than its maximum, its own or a
///   rule's
/// - granted-once: no CPU is granted to two, unless it is said to be shared
/// - within-machine: grants and what is left to foreign load fit into the pool; floors of one CPU
///   aside, and what newcomers have, for whom nobody shrinks even when foreign load comes
/// - within-quota: the same for control groups
/// - within-tree: the same for trees
/// - foreign-load: what is left to it is what it uses, as far as it may be
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
