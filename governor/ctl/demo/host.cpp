// SPDX-License-Identifier: MIT
// Two readings of /proc/stat.
#include "demo/host.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string>

namespace ctl::demo {

namespace {

constexpr std::string_view kCpu = "cpu";
/// Columns of /proc/stat, proc(5); what follows is counted in one of them.
constexpr int kIdleColumn = 3;
constexpr int kDiskColumn = 4;
constexpr int kColumns = 8;

/// 0 .. 1; a CPU that was not there is taken.
double idle_part(const std::map<std::uint32_t, CpuTimes>& before,
                 const std::map<std::uint32_t, CpuTimes>& after, std::uint32_t cpu) {
        const auto from = before.find(cpu);
        const auto to = after.find(cpu);
        if (from == before.end() || to == after.end() || to->second.all <= from->second.all ||
            to->second.idle < from->second.idle)
                return 0;
        return static_cast<double>(to->second.idle - from->second.idle) /
               static_cast<double>(to->second.all - from->second.all);
}

}  // namespace

std::map<std::uint32_t, CpuTimes> parse_cpu_times(std::string_view stat) {
        std::map<std::uint32_t, CpuTimes> times;
        std::istringstream lines{std::string(stat)};
        for (std::string line; std::getline(lines, line);) {
                std::istringstream words(line);
                std::string name;
                words >> name;
                std::uint32_t cpu = 0;
                const auto* end = name.data() + name.size();
                if (!name.starts_with(kCpu) ||
                    std::from_chars(name.data() + std::min(kCpu.size(), name.size()), end, cpu)
                                    .ptr != end ||
                    name.size() == kCpu.size())
                        continue;
                std::uint64_t ticks = 0;
                for (int column = 0; column < kColumns && words >> ticks; column++) {
                        times[cpu].all += ticks;
                        if (column == kIdleColumn || column == kDiskColumn)
                                times[cpu].idle += ticks;
                }
        }
        return times;
}

Usage idlest(const std::map<std::uint32_t, CpuTimes>& before,
             const std::map<std::uint32_t, CpuTimes>& after,
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
