// SPDX-License-Identifier: MIT
//
// A policy's knowledge of the machine: how idle each CPU was over the last period.
#pragma once

#include "policy/cpu_mask.hpp"
#include "policy/cpu_set.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace governor::policy {

struct CpuIdle {
        std::uint32_t cpu;  ///< the kernel's number; numbers may be sparse
        std::optional<std::uint32_t> idle_permyriad;  ///< empty while it is not known yet
        /// The part of its time that went to programs with a positive nice value, clients or not.
        std::uint32_t nice_permyriad = 0;
        /// The part for which it was busy, but the hypervisor ran something else on the real CPU.
        std::uint32_t stolen_permyriad = 0;
};

/// CPUs in ascending order.
struct Sample {
        std::vector<CpuIdle> cpus;
        bool warming_up = true;  ///< no full period has been measured yet
};

/// The CPUs that are distributed.
struct Pool {
        std::optional<CpuSet> cpus;  ///< only these; empty: all
        CpuSet reserve;              ///< none of these

        [[nodiscard]] bool contains(std::uint32_t cpu) const;
        /// This pool, and none of `none_of` either.
        [[nodiscard]] Pool without(const CpuMask& none_of) const;
};

/// The CPUs that `sample` is of.
[[nodiscard]] CpuMask cpus_of(const Sample& sample);

/// The part of `sample` whose CPUs are in `pool`.
[[nodiscard]] Sample restrict_to(const Pool& pool, const Sample& sample);

}  // namespace governor::policy
