// SPDX-License-Identifier: MIT
//
// Where each CPU sits: core, package, NUMA node, as sysfs tells.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace governor::probe {

/// What sysfs does not say is empty.
struct CpuPlace {
        std::optional<std::uint32_t> core;  ///< within its package
        std::optional<std::uint32_t> package;
        std::optional<std::uint32_t> node;
};

using Topology = std::map<std::uint32_t, CpuPlace>;  ///< by CPU number

/// Reads `root`/sys/devices/system for the given CPUs: about 15 us per CPU. Never fails.
[[nodiscard]] Topology read_topology(const std::string& root, std::span<const std::uint32_t> cpus);

}  // namespace governor::probe
