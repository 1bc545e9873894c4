// SPDX-License-Identifier: MIT
//
// The place of each CPU: core, package, last-level cache, NUMA node, as sysfs tells.
#pragma once

#include "policy/machine.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace governor::probe {

using policy::CpuPlace;
using policy::Topology;

/// Reads `root`/sys/devices/system for the given CPUs: about 15 us per CPU, and 40 us per
/// last-level cache, which only the first of its CPUs is asked about. Never fails.
[[nodiscard]] Topology read_topology(const std::string& root, std::span<const std::uint32_t> cpus);

}  // namespace governor::probe
