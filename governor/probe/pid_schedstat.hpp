// SPDX-License-Identifier: MIT
//
// The text of /proc/PID/schedstat as numbers. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace governor::probe {

/// The times of the first thread of a process, since it began.
struct PidSchedstat {
        std::chrono::nanoseconds cpu_time{0};
        std::chrono::nanoseconds waited{0};  ///< runnable, while others had its CPU
};

/// Empty if the text is cut or not of that form.
[[nodiscard]] std::optional<PidSchedstat> parse_pid_schedstat(std::string_view text);

}  // namespace governor::probe
