// SPDX-License-Identifier: MIT
//
// Chooses CPUs: whole cores first, SMT siblings to one client, close together, and as before. Each
// thread has a core of its own while cores are left over.
#pragma once

#include "policy/cpu_mask.hpp"
#include "policy/fair/foreign.hpp"
#include "policy/machine.hpp"

#include <cstdint>

namespace governor::policy::fair {

/// Chooses CPUs for one client at a time.
class Placement {
public:
        Placement(const Machine& machine, const Foreign& foreign);

        /// `count` CPUs of `held` to give up, at most all. CPUs that foreign programs use go first,
        /// then those whose core belongs to somebody else too. Whole cores in the cache and the
        /// node where it has least come next.
        [[nodiscard]] CpuMask give_up(const CpuMask& held, std::uint32_t count) const;

        /// `count` CPUs of `free`, or all if there are fewer, to go with `held`. The siblings of
        /// what it has come first. Whole cores come next, in caches and nodes where it is at home,
        /// or in the smallest one that has room. An odd CPU is one of a core that is already
        /// shared.
        [[nodiscard]] CpuMask pick(const CpuMask& held, const CpuMask& free,
                                   std::uint32_t count) const;

        struct Move {
                CpuMask from;
                CpuMask to;  ///< as many
        };
        /// A thread on a core of its own is faster than two on one. Gives up CPUs of `held` that
        /// have a sibling in it, or that are `fresh` and have one in `others`. Takes CPUs of cores
        /// that are all in `free` for them, as far as there are any.
        [[nodiscard]] Move spread(const CpuMask& held, const CpuMask& fresh, const CpuMask& others,
                                  const CpuMask& free) const;

        /// The `count` CPUs of `free` that foreign programs use most, if they use half of it.
        [[nodiscard]] CpuMask foreign_homes(const CpuMask& free, std::uint32_t count) const;

private:
        const Machine& machine_;
        CpuMask foreign_;  // CPUs that foreign programs use half of, or more
        const Foreign& load_;
};

}  // namespace governor::policy::fair
