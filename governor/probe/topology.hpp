// SPDX-License-Identifier: MIT
//
// Where each CPU sits: core, package, NUMA node, as sysfs tells.
#pragma once

#include "policy/machine.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace governor::probe {

using policy::CpuPlace;
using policy::Topology;

/// Reads `root`/sys/devices/system for the given CPUs: about 15 us per CPU. Never fails.
[[nodiscard]] Topology read_topology(const std::string& root, std::span<const std::uint32_t> cpus);

}  // namespace governor::probe
