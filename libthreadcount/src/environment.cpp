// SPDX-License-Identifier: MIT
// Parsers for the THREADCOUNT variables, without allocation.
#include "environment.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <strings.h>

namespace threadcount {

namespace {

/// Digits at the start of *text, which is moved behind them.
bool take_number(const char** text, std::uint64_t* ret_number) {
        constexpr std::uint64_t kEnough = 1'000'000'000'000;
        const char* p = *text;
        std::uint64_t number = 0;
        for (; *p >= '0' && *p <= '9'; p++)
                if (number < kEnough)
                        number = number * 10 + static_cast<std::uint64_t>(*p - '0');
        if (p == *text)
                return false;
        *text = p;
        *ret_number = number;
        return true;
}

struct Unit {
        const char* name;
        std::uint64_t ms;
};

constexpr Unit kUnits[] = {{"", 1}, {"ms", 1}, {"s", 1000}, {"min", 60'000}, {"h", 3'600'000}};

/// libgomp and libomp bind their threads where OMP_PROC_BIND says so, and where it says nothing but
/// one of the others is set.
bool asks_to_bind(const char* proc_bind, std::initializer_list<const char*> others) {
        if (proc_bind != nullptr)
                return strcasecmp(proc_bind, "false") != 0;
        return std::any_of(others.begin(), others.end(),
                           [](const char* text) { return text != nullptr; });
}

constexpr char kFixed[] = "fixed:";

}  // namespace

bool parse_count(const char* text, std::uint32_t* ret_count) {
        std::uint64_t number = 0;
        if (!take_number(&text, &number) || *text != '\0' || number < 1 || number > kMostThreads)
                return false;
        *ret_count = static_cast<std::uint32_t>(number);
        return true;
}

bool parse_interval(const char* text, std::uint32_t* ret_interval_ms) {
        std::uint64_t number = 0;
        if (!take_number(&text, &number) || number > kLongestInterval_ms)
                return false;
        for (const auto& unit : kUnits) {
                if (strcmp(text, unit.name) != 0)
                        continue;
                const auto ms = number * unit.ms;
                if (ms < kShortestInterval_ms || ms > kLongestInterval_ms)
                        return false;
                *ret_interval_ms = static_cast<std::uint32_t>(ms);
                return true;
        }
        return false;
}

bool parse_mode(const char* text, ModeSetting* ret_mode) {
        if (strcmp(text, "adapt") == 0)
                ret_mode->mode = Mode::Adapt;
        else if (strcmp(text, "start-only") == 0)
                ret_mode->mode = Mode::StartOnly;
        else if (strcmp(text, "keep") == 0)
                ret_mode->mode = Mode::Keep;
        else if (strcmp(text, "off") == 0)
                ret_mode->mode = Mode::Off;
        else if (strncmp(text, kFixed, sizeof(kFixed) - 1) == 0 &&
                 parse_count(text + sizeof(kFixed) - 1, &ret_mode->fixed))
                ret_mode->mode = Mode::Fixed;
        else
                return false;
        ret_mode->is_set = true;
        return true;
}

bool parse_class(const char* text, bool* ret_is_batch) {
        *ret_is_batch = strcmp(text, "batch") == 0;
        return *ret_is_batch || strcmp(text, "interactive") == 0;
}

bool parse_shrink(const char* text, bool* ret_releases) {
        *ret_releases = strcmp(text, "release") == 0;
        return *ret_releases || strcmp(text, "keep") == 0;
}

bool parse_binding(const char* text, BindingSetting* ret_binding) {
        if (strcmp(text, "none") == 0)
                *ret_binding = BindingSetting::None;
        else if (strcmp(text, "cores") == 0)
                *ret_binding = BindingSetting::Cores;
        else
                return false;
        return true;
}

Environment read_environment(GetVariable get) {
        Environment environment;
        const auto read = [&](const char* name, auto parse, auto* ret_value) {
                const char* text = value_of(name, get);
                if (text == nullptr || parse(text, ret_value))
                        return;
                environment.misunderstood = name;
                snprintf(environment.misunderstood_value, sizeof(environment.misunderstood_value),
                         "%s", text);
        };
        read("THREADCOUNT_MAX", parse_count, &environment.max);
        read("THREADCOUNT_INTERVAL", parse_interval, &environment.interval_ms);
        read("THREADCOUNT_CLASS", parse_class, &environment.is_batch);
        read("THREADCOUNT_SHRINK", parse_shrink, &environment.releases);
        read("THREADCOUNT_BINDING", parse_binding, &environment.binding);
        read("THREADCOUNT", parse_mode, &environment.mode);
        const auto value = [get](const char* name) { return value_of(name, get); };
        environment.runtime_binds = asks_to_bind(
                value("OMP_PROC_BIND"),
                {value("OMP_PLACES"), value("GOMP_CPU_AFFINITY"), value("KMP_AFFINITY")});
        environment.socket = value("THREADCOUNT_SOCKET");
        const char* label = value("THREADCOUNT_LABEL");
        if (label != nullptr && label[strspn(label, " ")] != '\0')
                copy_printable(label, environment.label);
        environment.is_rank = find_job(get, environment.job) == JobName::Unnamed;
        return environment;
}

}  // namespace threadcount
