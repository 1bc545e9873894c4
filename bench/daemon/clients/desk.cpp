// SPDX-License-Identifier: MIT
// Notes, and regions slept together.
#include "desk.hpp"

#include <algorithm>
#include <cmath>

namespace bench {

governor::policy::CpuMask Team::mask() const {
        governor::policy::CpuMask mask;
        for (std::uint32_t cpu = 0; cpu < 64 * kWords; cpu++)
                if ((cpus.at(cpu / 64) >> (cpu % 64) & 1U) != 0)
                        mask.add(cpu);
        return mask;
}

void Desk::note(const Team& team) {
        const auto index = count.load(std::memory_order_relaxed);
        const auto* last = index > 0 ? &teams.at(std::min(index, kMostTeams) - 1) : nullptr;
        if (last != nullptr && last->threads == team.threads && last->cpus == team.cpus)
                return;
        if (index < kMostTeams)
                teams.at(index) = team;
        count.store(index + 1, std::memory_order_release);
}

std::uint64_t regions_at_once(double each_ns, std::uint64_t left) {
        constexpr double kShortest_ns = 5e6;
        const auto count = std::min(std::ceil(kShortest_ns / each_ns), static_cast<double>(left));
        return std::max<std::uint64_t>(static_cast<std::uint64_t>(count), 1);
}

}  // namespace bench
