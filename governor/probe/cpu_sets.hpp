// SPDX-License-Identifier: MIT
//
// Finds the CPUs that the kernel keeps apart from programs which do not ask for them.
#pragma once

#include "policy/cpu_mask.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace governor::probe {

/// Empty: the kernel does not say.
struct CpuSets {
        std::optional<policy::CpuMask> isolated;    ///< isolcpus=, on some kernels partitions too
        std::optional<policy::CpuMask> nohz_full;   ///< nohz_full=: without the clock tick
        std::optional<policy::CpuMask> partitions;  ///< isolated cpuset partitions

        /// The CPUs of any kind that are known.
        [[nodiscard]] policy::CpuMask apart() const;
        /// With the sets of `before` where these are not known, as when no more files can be
        /// opened.
        [[nodiscard]] CpuSets or_as(const CpuSets& before) const;

        friend bool operator==(const CpuSets&, const CpuSets&) = default;
};

/// A CPU list, or "(null)" for none, which old kernels print for nohz_full. Pure.
[[nodiscard]] std::optional<policy::CpuMask> parse_cpu_set(std::string_view text);

/// Reads `root`/sys/devices/system/cpu. Most kernels tell only of isolcpus= there, so it also reads
/// cpuset.cpus.isolated of the highest control group (version 2, since Linux 6.7, not seen in
/// containers). About 60 us in all. Never fails.
[[nodiscard]] CpuSets read_cpu_sets(const std::string& root);

}  // namespace governor::probe
