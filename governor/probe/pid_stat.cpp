// SPDX-License-Identifier: MIT
// Format: "PID (NAME) STATE PPID ..."; NAME is up to 15 bytes of the program's choice, so the
// columns are counted from the last parenthesis.
#include "probe/pid_stat.hpp"

#include "probe/text.hpp"

namespace governor::probe {

namespace {

// Numbers as in proc_pid_stat(5).
constexpr int kState = 3;
constexpr int kPpid = 4;
constexpr int kTerminal = 7;
constexpr int kFlags = 9;
constexpr int kUserTime = 14;
constexpr int kSystemTime = 15;
constexpr int kReapedUserTime = 16;
constexpr int kReapedSystemTime = 17;
constexpr int kNice = 19;
constexpr int kStartTime = 22;
constexpr int kPolicy = 41;

constexpr std::uint32_t kPfKthread = 0x00200000;  // PF_KTHREAD of the kernel's sched.h

/// Puts `word` into `ret_number`; adds, so that two columns can make one number.
template <class Number>
bool add_number(std::string_view word, Number& ret_number) {
        const auto number = parse_number<Number>(word);
        if (number)
                ret_number += *number;
        return number.has_value();
}

bool take_flags(std::string_view word, PidStat& stat) {
        const auto flags = parse_number<std::uint32_t>(word);
        stat.is_kernel_thread = flags && (*flags & kPfKthread) != 0;
        return flags.has_value();
}

bool take_terminal(std::string_view word, PidStat& stat) {
        const auto device = parse_number<std::int64_t>(word);
        stat.has_terminal = device.value_or(0) != 0;
        return device.has_value();
}

bool take_column(int column, std::string_view word, PidStat& stat) {
        switch (column) {
        case kState:
                stat.state = word.empty() ? '?' : word.front();
                return word.size() == 1;
        case kPpid:
                return add_number(word, stat.ppid);
        case kTerminal:
                return take_terminal(word, stat);
        case kFlags:
                return take_flags(word, stat);
        case kUserTime:
                return add_number(word, stat.user_ticks);
        case kSystemTime:
                return add_number(word, stat.system_ticks);
        case kReapedUserTime:
        case kReapedSystemTime:
                return add_number(word, stat.reaped_ticks);
        case kNice:
                return add_number(word, stat.nice);
        case kStartTime:
                return add_number(word, stat.started_ticks);
        case kPolicy:
                return add_number(word, stat.scheduling_policy);
        default:
                return true;
        }
}

}  // namespace

std::optional<PidStat> parse_pid_stat(std::string_view text) {
        const auto name = text.find(" (");
        const auto name_end = text.rfind(") ");
        if (name == text.npos || name_end == text.npos || name_end < name || text.back() != '\n')
                return std::nullopt;
        PidStat stat;
        if (!add_number(text.substr(0, name), stat.pid))
                return std::nullopt;
        text.remove_suffix(1);
        text.remove_prefix(name_end + 2);
        for (int column = kState; column <= kPolicy; column++)
                if (text.empty() || !take_column(column, take_until(text, ' '), stat))
                        return std::nullopt;
        return stat;
}

}  // namespace governor::probe
