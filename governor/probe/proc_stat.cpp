// SPDX-License-Identifier: MIT
// Line format: "cpuN user nice system idle iowait irq softirq steal guest guest_nice";
// old kernels end earlier, new ones may add columns.
#include "probe/proc_stat.hpp"

#include "policy/cpu_set.hpp"
#include "probe/text.hpp"

#include <algorithm>

namespace governor::probe {

namespace {

constexpr std::size_t kNiceColumn = 1;
constexpr std::size_t kIdle = 3;
constexpr std::size_t kIowait = 4;
constexpr std::size_t kSteal = 7;
constexpr std::size_t kColumnsNeeded = 4;
constexpr std::size_t kColumnsOfTime = 8;  // the guest columns behind are part of user and nice

/// The next word of `line`, where any number of spaces separates words; empty: it is no number.
template <class Number>
std::optional<Number> take_number(std::string_view& line) {
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        return parse_number<Number>(take_until(line, ' '));
}

/// `line` starts behind "cpu", with the CPU's number.
std::optional<CpuTicks> parse_cpu_line(std::string_view line) {
        CpuTicks ticks;
        const auto cpu = take_number<std::uint32_t>(line);
        if (!cpu || *cpu >= policy::kCpuNumberLimit)
                return std::nullopt;
        ticks.cpu = *cpu;
        std::size_t column = 0;
        for (; line.find_first_not_of(' ') != line.npos; column++) {
                const auto value = take_number<std::uint64_t>(line);
                if (!value)
                        return std::nullopt;
                if (column == kNiceColumn)
                        ticks.nice = *value;
                if (column == kIdle)
                        ticks.idle = *value;
                if (column == kIowait)
                        ticks.iowait = *value;
                if (column == kSteal)
                        ticks.stolen = *value;
                if (column < kColumnsOfTime)
                        ticks.total += *value;
        }
        if (column < kColumnsNeeded)
                return std::nullopt;
        return ticks;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<StatReading> parse_proc_stat(std::string_view text) {
        if (text.empty() || text.back() != '\n')
                return std::nullopt;
        StatReading reading;
        while (!text.empty() && !reading.list_ended) {
                const auto line = take_until(text, '\n');
                if (line.starts_with("cpu ") && reading.cpus.empty())
                        continue;  // the sum over all CPUs: jumps when one goes offline
                if (!line.starts_with("cpu") || line.size() < 4 || !is_digit(line[3])) {
                        reading.list_ended = true;
                        continue;
                }
                const auto ticks = parse_cpu_line(line.substr(3));
                if (!ticks)
                        return std::nullopt;
                reading.cpus.push_back(*ticks);
        }
        std::ranges::sort(reading.cpus, {}, &CpuTicks::cpu);
        const auto twice = std::ranges::adjacent_find(reading.cpus, {}, &CpuTicks::cpu);
        if (reading.cpus.empty() || twice != reading.cpus.end())
                return std::nullopt;
        return reading;
}

}  // namespace governor::probe
