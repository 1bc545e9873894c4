// SPDX-License-Identifier: MIT
// Sums over sets of CPUs.
#include "policy/fair/foreign.hpp"

#include <algorithm>

namespace governor::policy::fair {

namespace {

std::uint32_t rounded(float value) { return static_cast<std::uint32_t>(value + 0.5F); }

}  // namespace

float sum(const Foreign::PerCpu& load, const CpuMask& cpus) {
        float total = 0;
        cpus.for_each([&](std::uint32_t cpu) { total += cpu < load.size() ? load[cpu] : 0; });
        return total;
}

float Foreign::Load::on(const CpuMask& cpus) const {
        return std::min(sum(smoothed, cpus), sum(measured, cpus));
}

std::uint32_t Foreign::held_millicpu(const CpuMask& cpus) const {
        auto highest = now.on(cpus);
        for (const auto& load : past)
                highest = std::max(highest, load.on(cpus));
        return rounded(highest);
}

std::uint32_t Foreign::now_millicpu(std::uint32_t cpu) const {
        return cpu < now.smoothed.size() ? rounded(now.smoothed[cpu]) : 0;
}

}  // namespace governor::policy::fair
