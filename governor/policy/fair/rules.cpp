// SPDX-License-Identifier: MIT
// Which rules apply, and what they say together.
#include "policy/fair/rules.hpp"

#include "policy/shell_pattern.hpp"

#include <algorithm>

namespace governor::policy::fair {

namespace {

/// A pattern with a slash is about the path, one without about the file's name.
bool is_executable(std::string_view pattern, std::string_view path) {
        if (path.empty())
                return false;
        if (pattern.find('/') == pattern.npos)
                path.remove_prefix(path.rfind('/') + 1);  // npos + 1 == 0
        return matches_shell_pattern(pattern, path);
}

template <class Value>
void overlay(std::optional<Value>& below, const std::optional<Value>& above) {
        if (above)
                below = above;
}

}  // namespace

bool applies(const Rule& rule, const Program& program) {
        return (!rule.uid || *rule.uid == program.uid) &&
               (!rule.label || matches_shell_pattern(*rule.label, program.label)) &&
               (!rule.executable || is_executable(*rule.executable, program.executable));
}

Rule combine(std::span<const Rule> rules, const Program& program) {
        Rule all;
        for (const auto& rule : rules) {
                if (!applies(rule, program))
                        continue;
                all.name += (all.name.empty() ? "" : ", ") + rule.name;
                overlay(all.weight, rule.weight);
                overlay(all.min, rule.min);
                overlay(all.max, rule.max);
                overlay(all.scheduling_class, rule.scheduling_class);
                overlay(all.ignore, rule.ignore);
                overlay(all.adapts, rule.adapts);
        }
        if (all.min && all.max)
                all.min = std::min(*all.min, *all.max);
        return all;
}

bool lets_teams_follow(const Rule& rule) {
        return rule.adapts.value_or(false) && !rule.ignore.value_or(false);
}

}  // namespace governor::policy::fair
