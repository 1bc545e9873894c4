// SPDX-License-Identifier: MIT
//
// The text of /proc/PID/stat as numbers (proc_pid_stat(5)). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace governor::probe {

/// One process. State, nice value and scheduling policy are its first thread's; times are those of
/// all its threads, dead ones included.
struct PidStat {
        std::uint32_t pid = 0;
        std::uint32_t ppid = 0;     ///< 0: none that can be seen from here
        char state = '?';           ///< R, S, D, T, t, Z, ...
        bool has_terminal = false;  ///< a controlling one
        std::int32_t nice = 0;
        std::uint32_t scheduling_policy = 0;  ///< SCHED_IDLE of <sched.h>, ...
        bool is_kernel_thread = false;
        std::uint64_t started_ticks = 0;  ///< after boot; with the pid it names a process

        // Clock ticks; none of them ever goes backwards.
        std::uint64_t user_ticks = 0;
        std::uint64_t system_ticks = 0;
        std::uint64_t reaped_ticks = 0;  ///< of children that it has waited for, with all theirs

        [[nodiscard]] std::uint64_t own_ticks() const { return user_ticks + system_ticks; }
        /// By a signal or a debugger.
        [[nodiscard]] bool is_stopped() const { return state == 'T' || state == 't'; }
        [[nodiscard]] bool is_same_process(const PidStat& other) const {
                return pid == other.pid && started_ticks == other.started_ticks;
        }
};

/// Empty if the text is cut or not of that form; the program's name may be anything.
[[nodiscard]] std::optional<PidStat> parse_pid_stat(std::string_view text);

}  // namespace governor::probe
