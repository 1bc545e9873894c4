// SPDX-License-Identifier: MIT
// Two readings of /proc/stat.
#include "demo/host.hpp"

#include <algorithm>
#include <functional>

namespace ctl::demo {

namespace {

/// 0 .. 1; a CPU that was not there is taken.
double idle_part(const CpuTicks& before, const CpuTicks& after, std::uint32_t cpu) {
        const auto from = std::ranges::find(before, cpu, &governor::probe::CpuTicks::cpu);
        const auto to = std::ranges::find(after, cpu, &governor::probe::CpuTicks::cpu);
        if (from == before.end() || to == after.end())
                return 0;
        const auto idle_from = from->idle + from->iowait;
        const auto idle_to = to->idle + to->iowait;
        if (to->total <= from->total || idle_to < idle_from)
                return 0;
        return static_cast<double>(idle_to - idle_from) /
               static_cast<double>(to->total - from->total);
}

}  // namespace

Usage idlest(const CpuTicks& before, const CpuTicks& after,
             const std::vector<std::uint32_t>& allowed, std::size_t most) {
        Usage usage{allowed, 0};
        const auto idle = [&](std::uint32_t cpu) { return idle_part(before, after, cpu); };
        std::ranges::stable_sort(usage.cpus, std::ranges::greater{}, idle);
        usage.cpus.resize(std::min(most, usage.cpus.size()));
        std::ranges::sort(usage.cpus);
        for (const auto cpu : usage.cpus)
                usage.busy += 1 - idle(cpu);
        return usage;
}

}  // namespace ctl::demo
