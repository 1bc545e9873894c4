// SPDX-License-Identifier: MIT
// One row per key.
#include "config/keys.hpp"

#include "config/units.hpp"
#include "policy/permyriad.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace governor::config {

namespace {

using std::chrono::milliseconds;

bool parse_within(std::string_view value, milliseconds least, milliseconds most,
                  milliseconds* ret_time) {
        const auto time = parse_duration(value);
        if (!time || *time < least || *time > most)
                return false;
        *ret_time = *time;
        return true;
}

bool assign_yes(std::string_view value, bool* ret_is_yes) {
        const auto is_yes = parse_yes(value);
        *ret_is_yes = is_yes.value_or(*ret_is_yes);
        return is_yes.has_value();
}

bool set_policy(Settings& settings, std::string_view value) {
        if (value != "fair" && value != "threshold")
                return false;
        settings.policy = value == "fair" ? PolicyName::Fair : PolicyName::Threshold;
        return true;
}
std::string get_policy(const Settings& settings) {
        return settings.policy == PolicyName::Fair ? "fair" : "threshold";
}

bool set_mode(Settings& settings, std::string_view value) {
        if (value != "govern" && value != "observe")
                return false;
        settings.is_observing = value == "observe";
        return true;
}
std::string get_mode(const Settings& settings) {
        return settings.is_observing ? "observe" : "govern";
}

bool set_threshold(Settings& settings, std::string_view value) {
        const auto permyriad = parse_percent(value);
        if (permyriad)
                settings.threshold.threshold_permyriad = *permyriad;
        return permyriad.has_value();
}
std::string get_threshold(const Settings& settings) {
        return policy::format_percent(settings.threshold.threshold_permyriad);
}

bool set_period(Settings& settings, std::string_view value) {
        return parse_within(value, milliseconds{50}, milliseconds{60'000}, &settings.period);
}
std::string get_period(const Settings& settings) { return format_duration(settings.period); }

/// Linux knows no more than 8192 CPUs, and `governorctl config` shows two such lists in one reply
/// (GOVERNOR_REPLY_MAX).
constexpr std::uint32_t kCpuEnd = 8192;

std::optional<policy::CpuSet> parse_cpus(std::string_view value) {
        auto cpus = policy::parse_cpu_list(value);
        return cpus && !cpus->empty() && cpus->back() < kCpuEnd ? cpus : std::nullopt;
}

bool set_cpus(Settings& settings, std::string_view value) {
        if (value == "all") {
                settings.pool.cpus.reset();
                return true;
        }
        auto cpus = parse_cpus(value);
        if (!cpus)
                return false;
        settings.pool.cpus = std::move(*cpus);
        return true;
}
std::string get_cpus(const Settings& settings) {
        return settings.pool.cpus ? policy::format_cpu_list(*settings.pool.cpus) : "all";
}

bool set_reserve(Settings& settings, std::string_view value) {
        if (value == "off") {
                settings.pool.reserve.clear();
                return true;
        }
        auto cpus = parse_cpus(value);
        if (!cpus)
                return false;
        settings.pool.reserve = std::move(*cpus);
        return true;
}
std::string get_reserve(const Settings& settings) {
        return settings.pool.reserve.empty() ? "off"
                                             : policy::format_cpu_list(settings.pool.reserve);
}

bool set_foreign_max(Settings& settings, std::string_view value) {
        const auto permyriad = parse_percent(value);
        if (permyriad)
                settings.fair.foreign_max_permyriad = *permyriad;
        return permyriad.has_value();
}
std::string get_foreign_max(const Settings& settings) {
        return policy::format_percent(settings.fair.foreign_max_permyriad);
}

bool set_handover_max(Settings& settings, std::string_view value) {
        return parse_within(value, milliseconds{100}, milliseconds{60'000},
                            &settings.fair.handover_max);
}
std::string get_handover_max(const Settings& settings) {
        return format_duration(settings.fair.handover_max);
}

bool set_turns(Settings& settings, std::string_view value) {
        return assign_yes(value, &settings.fair.turns);
}
std::string get_turns(const Settings& settings) { return format_yes(settings.fair.turns); }

bool set_turns_across_users(Settings& settings, std::string_view value) {
        return assign_yes(value, &settings.fair.turns_across_users);
}
std::string get_turns_across_users(const Settings& settings) {
        return format_yes(settings.fair.turns_across_users);
}

bool set_turn_quantum(Settings& settings, std::string_view value) {
        return parse_within(value, milliseconds{100}, milliseconds{60'000},
                            &settings.fair.turn_quantum);
}
std::string get_turn_quantum(const Settings& settings) {
        return format_duration(settings.fair.turn_quantum);
}

bool set_turn_max_wait(Settings& settings, std::string_view value) {
        return parse_within(value, milliseconds{1'000}, milliseconds{3'600'000},
                            &settings.fair.turn_max_wait);
}
std::string get_turn_max_wait(const Settings& settings) {
        return format_duration(settings.fair.turn_max_wait);
}

bool set_tcp(Settings& settings, std::string_view value) {
        if (value == "off") {
                settings.tcp.reset();
                return true;
        }
        auto address = parse_tcp_address(value);
        if (!address)
                return false;
        settings.tcp = std::move(*address);
        return true;
}
std::string get_tcp(const Settings& settings) {
        return settings.tcp ? format_tcp_address(*settings.tcp) : "off";
}

constexpr std::array kLevels{std::pair{std::string_view{"debug"}, LogLevel::Debug},
                             std::pair{std::string_view{"info"}, LogLevel::Info},
                             std::pair{std::string_view{"warning"}, LogLevel::Warning},
                             std::pair{std::string_view{"error"}, LogLevel::Error}};

bool set_log_level(Settings& settings, std::string_view value) {
        const auto* const level =
                std::ranges::find(kLevels, value, [](const auto& row) { return row.first; });
        if (level == kLevels.end())
                return false;
        settings.log_level = level->second;
        return true;
}
std::string get_log_level(const Settings& settings) {
        const auto* const level = std::ranges::find(kLevels, settings.log_level,
                                                    [](const auto& row) { return row.second; });
        return std::string(level->first);
}

constexpr std::array kKeys{
        Key{"policy", "fair or threshold", "how cores are given", set_policy, get_policy},
        Key{"mode", "govern or observe", "observe: decide and show, but leave programs alone",
            set_mode, get_mode},
        Key{"threshold", "0% .. 100%, with the sign",
            "a CPU that was idle at least this much is free", set_threshold, get_threshold},
        Key{"period", "50ms .. 60s, with the unit", "time between two samples of /proc/stat",
            set_period, get_period},
        Key{"cpus", "all, or a list of CPUs 0 .. 8191 such as 0-3,8 or 0-14:2",
            "only these CPUs are distributed", set_cpus, get_cpus},
        Key{"reserve", "off, or a list of CPUs 0 .. 8191 such as 0-3,8 or 0-14:2",
            "of these, never distributed", set_reserve, get_reserve},
        Key{"foreign_max", "0% .. 100%, with the sign",
            "programs that are not governed are yielded at most this part", set_foreign_max,
            get_foreign_max},
        Key{"handover_max", "100ms .. 60s, with the unit",
            "a program that runs on more than its grant for longer is charged for it",
            set_handover_max, get_handover_max},
        Key{"turns", "yes or no", "batch programs of one user take turns", set_turns, get_turns},
        Key{"turns_across_users", "yes or no", "and those of all users together",
            set_turns_across_users, get_turns_across_users},
        Key{"turn_quantum", "100ms .. 60s, with the unit",
            "a turn's length at first, of a program that does not report progress",
            set_turn_quantum, get_turn_quantum},
        Key{"turn_max_wait", "1s .. 1h, with the unit",
            "a program that has waited for so long has one thread", set_turn_max_wait,
            get_turn_max_wait},
        Key{"tcp", "off, PORT, HOST:PORT or [IPV6]:PORT with a numeric HOST or localhost",
            "also listen on TCP, for Query and Status only; PORT alone: loopback", set_tcp,
            get_tcp},
        Key{"log_level", "debug, info, warning or error", "what is logged", set_log_level,
            get_log_level},
};

}  // namespace

std::span<const Key> keys() { return kKeys; }

}  // namespace governor::config
