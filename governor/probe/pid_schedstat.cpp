// SPDX-License-Identifier: MIT
// "cpu_time run_delay slices\n", in nanoseconds.
#include "probe/pid_schedstat.hpp"

#include "probe/text.hpp"

#include <cstdint>

namespace governor::probe {

std::optional<PidSchedstat> parse_pid_schedstat(std::string_view text) {
        if (text.empty() || text.back() != '\n')
                return std::nullopt;
        const auto cpu_time = parse_number<std::int64_t>(take_until(text, ' '));
        const auto waited = parse_number<std::int64_t>(take_until(text, ' '));
        const auto slices = parse_number<std::uint64_t>(take_until(text, '\n'));
        if (!cpu_time || !waited || !slices || *cpu_time < 0 || *waited < 0)
                return std::nullopt;
        return PidSchedstat{std::chrono::nanoseconds{*cpu_time}, std::chrono::nanoseconds{*waited}};
}

}  // namespace governor::probe
