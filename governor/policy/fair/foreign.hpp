// SPDX-License-Identifier: MIT
//
// Load of programs that are not governed, as one decision goes by it. Plain data.
#pragma once

#include "policy/cpu_mask.hpp"

#include <cstdint>
#include <vector>

namespace governor::policy::fair {

enum class AccountId : std::uint64_t;

/// evidence::ForeignLoad measures it and says what is believed when.
struct Foreign {
        using PerCpu = std::vector<float>;  ///< millicpu, by CPU number

        /// A part of the load that an account is known to run, on whatever CPUs.
        struct Owned {
                AccountId account{};
                float millicpu = 0;
        };

        PerCpu load;
        std::vector<Owned> owned;  ///< each account once; nobody knows whose the rest is

        [[nodiscard]] std::uint32_t millicpu(const CpuMask& cpus) const;
        /// The load on one CPU, 0..1000.
        [[nodiscard]] std::uint32_t millicpu_on(std::uint32_t cpu) const;
};

/// The sum of `load` over `cpus`, millicpu.
[[nodiscard]] float sum(const Foreign::PerCpu& load, const CpuMask& cpus);

}  // namespace governor::policy::fair
