// SPDX-License-Identifier: MIT
//
// The administrator's settings for particular programs: [program NAME] of governord.conf.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace governor::policy::fair {

enum class Class : std::uint8_t { Interactive, Batch };

/// Applies to a program that has everything the rule asks for; a rule that asks for nothing applies
/// to all. A value that is not set is left as the program (or an earlier rule) has it.
struct Rule {
        std::string name;

        std::optional<std::uint32_t> uid;
        std::optional<std::string> label;  ///< shell pattern, see policy/shell_pattern.hpp
        /// Shell pattern for the file's name, or with a slash in it for the path. Does not apply to
        /// a program whose executable is not known.
        std::optional<std::string> executable;

        std::optional<std::uint32_t> weight;  ///< 1..10000
        std::optional<std::uint32_t> min;     ///< guaranteed, 1..65536
        std::optional<std::uint32_t> max;     ///< 1..65536
        std::optional<Class> scheduling_class;
        std::optional<bool> ignore;  ///< not governed, and not foreign load either
        /// Its teams may follow the grant, as with `governorctl run --adapt`. `run` reads it; it
        /// decides nothing here.
        std::optional<bool> adapts;

        friend bool operator==(const Rule&, const Rule&) = default;
};

/// The facts that a rule may look at.
struct Program {
        std::uint32_t uid = 0;
        std::string_view label;
        std::string_view executable;  ///< path; empty: not known
};

[[nodiscard]] bool applies(const Rule& rule, const Program& program);

/// All rules that apply, one over the other: a later one wins where both set something. Asks for
/// nothing; its name is "a, b" of the rules that applied, in order, and empty if none did. A min
/// above another rule's max becomes that max. O(rules).
[[nodiscard]] Rule combine(std::span<const Rule> rules, const Program& program);

/// The rule lets teams follow. One that leaves the program alone does not.
[[nodiscard]] bool lets_teams_follow(const Rule& rule);

}  // namespace governor::policy::fair
