// SPDX-License-Identifier: MIT
// Sums over sets of CPUs.
#include "policy/fair/foreign.hpp"

namespace governor::policy::fair {

namespace {

std::uint32_t rounded(float value) { return static_cast<std::uint32_t>(value + 0.5F); }

}  // namespace

float sum(const Foreign::PerCpu& load, const CpuMask& cpus) {
        float total = 0;
        cpus.for_each([&](std::uint32_t cpu) { total += cpu < load.size() ? load[cpu] : 0; });
        return total;
}

std::uint32_t Foreign::millicpu(const CpuMask& cpus) const { return rounded(sum(load, cpus)); }

std::uint32_t Foreign::millicpu_on(std::uint32_t cpu) const {
        return cpu < load.size() ? rounded(load[cpu]) : 0;
}

}  // namespace governor::policy::fair
