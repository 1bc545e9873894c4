// SPDX-License-Identifier: MIT
// The kernel's CPU list format (Documentation/admin-guide/kernel-parameters: "cpu lists"), and the
// steps that taskset(1) takes.
#include "policy/cpu_set.hpp"

#include <charconv>

namespace governor::policy {

namespace {

std::optional<std::uint32_t> take_number(std::string_view& text) {
        std::uint32_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc{} || number >= kCpuNumberLimit)
                return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        return number;
}

bool take(std::string_view& text, char wanted) {
        if (text.empty() || text.front() != wanted)
                return false;
        text.remove_prefix(1);
        return true;
}

/// Takes the first `used` of each `group` of a range.
struct Pattern {
        std::uint32_t used = 1;
        std::uint32_t group = 1;
};

/// ":2" is every second one, as ":1/2" is; all where there is neither.
std::optional<Pattern> take_pattern(std::string_view& text) {
        Pattern pattern;
        if (!take(text, ':'))
                return pattern;
        const auto first = take_number(text);
        const bool is_group = first && take(text, '/');
        const auto second = is_group ? take_number(text) : first;
        if (!second)
                return std::nullopt;
        pattern = {is_group ? *first : 1, *second};
        return pattern.used >= 1 && pattern.used <= pattern.group ? std::optional(pattern)
                                                                  : std::nullopt;
}

}  // namespace

std::optional<CpuSet> parse_cpu_list(std::string_view text) {
        if (!text.empty() && text.back() == '\n')
                text.remove_suffix(1);
        std::vector<bool> members;
        while (!text.empty()) {
                const auto first = take_number(text);
                const bool is_range = first && take(text, '-');
                const auto last = is_range ? take_number(text) : first;
                if (!last || *last < *first)
                        return std::nullopt;
                const auto pattern = is_range ? take_pattern(text) : Pattern{};
                if (!pattern)
                        return std::nullopt;
                if (members.size() <= *last)
                        members.resize(*last + 1);
                for (auto cpu = *first; cpu <= *last; cpu++)
                        if ((cpu - *first) % pattern->group < pattern->used)
                                members[cpu] = true;
                if (!text.empty() && (!take(text, ',') || text.empty()))
                        return std::nullopt;
        }
        CpuSet cpus;
        for (std::uint32_t cpu = 0; cpu < members.size(); cpu++)
                if (members[cpu])
                        cpus.push_back(cpu);
        return cpus;
}

std::string format_cpu_list(const CpuSet& cpus) {
        std::string text;
        for (std::size_t first = 0, last = 0; first < cpus.size(); first = last + 1) {
                last = first;
                while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1)
                        last++;
                if (!text.empty())
                        text += ',';
                text += std::to_string(cpus[first]);
                if (last > first)
                        text += '-' + std::to_string(cpus[last]);
        }
        return text;
}

}  // namespace governor::policy
