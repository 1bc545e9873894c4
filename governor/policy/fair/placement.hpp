// SPDX-License-Identifier: MIT
//
// Which CPUs: whole cores first, SMT siblings to one client, close together, and as before. While
// cores are left over, a core for each thread.
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

        /// `count` CPUs of `held` to give up, at most all: those that foreign programs use, then
        /// those whose core belongs to somebody else too, then whole cores in the cache and the
        /// node where it has least.
        [[nodiscard]] CpuMask give_up(const CpuMask& held, std::uint32_t count) const;

        /// `count` CPUs of `free`, or all if there are fewer, to go with `held`: the siblings of
        /// what it has, then whole cores in caches and nodes where it is at home, or in the
        /// smallest one that has room. An odd CPU is one of a core that is already shared.
        [[nodiscard]] CpuMask pick(const CpuMask& held, const CpuMask& free,
                                   std::uint32_t count) const;

        struct Move {
                CpuMask from;
                CpuMask to;  ///< as many
        };
        /// A thread on a core of its own is faster than two on one: CPUs of `held` that have a
        /// sibling in it, or that are `fresh` and have one in `others`, for CPUs of cores that are
        /// all in `free`, as far as there are such.
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
