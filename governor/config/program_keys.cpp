// SPDX-License-Identifier: MIT
// One row per key of a rule.
#include "config/keys.hpp"
#include "config/patterns.hpp"
#include "config/units.hpp"

#include <array>
#include <optional>

namespace governor::config {

namespace {

using policy::fair::Class;
using policy::fair::Rule;

constexpr std::uint32_t kMostWeight = 10'000;
constexpr std::uint32_t kMostThreads = 65'536;
constexpr std::uint32_t kMostUser = UINT32_MAX - 1;  // the last number means "nobody at all"

using Number = std::optional<std::uint32_t> Rule::*;
using Text = std::optional<std::string> Rule::*;

template <Number member, std::uint32_t least, std::uint32_t most>
bool set_number(Rule& rule, std::string_view value) {
        const auto number = parse_number(value);
        if (!number || *number < least || *number > most)
                return false;
        rule.*member = *number;
        return true;
}
template <Number member>
std::string get_number(const Rule& rule) {
        return rule.*member ? std::to_string(*(rule.*member)) : "";
}

using Explain = std::string (*)(std::string_view pattern);

/// Printable ASCII, so that what is shown is what is written.
template <Text member, Explain what_is_wrong>
bool set_pattern(Rule& rule, std::string_view value) {
        if (value.empty() || !what_is_wrong(value).empty() ||
            !std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~'; }))
                return false;
        rule.*member = std::string(value);
        return true;
}
template <Text member>
std::string get_pattern(const Rule& rule) {
        return (rule.*member).value_or("");
}

bool set_class(Rule& rule, std::string_view value) {
        if (value != "interactive" && value != "batch")
                return false;
        rule.scheduling_class = value == "batch" ? Class::Batch : Class::Interactive;
        return true;
}
std::string get_class(const Rule& rule) {
        if (!rule.scheduling_class)
                return "";
        return *rule.scheduling_class == Class::Batch ? "batch" : "interactive";
}

bool set_ignore(Rule& rule, std::string_view value) {
        const auto is_yes = parse_yes(value);
        if (is_yes)
                rule.ignore = is_yes;
        return is_yes.has_value();
}
std::string get_ignore(const Rule& rule) { return rule.ignore ? format_yes(*rule.ignore) : ""; }

bool set_teams(Rule& rule, std::string_view value) {
        if (value != "adapt" && value != "keep")
                return false;
        rule.adapts = value == "adapt";
        return true;
}
std::string get_teams(const Rule& rule) {
        if (!rule.adapts)
                return "";
        return *rule.adapts ? "adapt" : "keep";
}

constexpr std::string_view kPattern = "a shell pattern (* ? [...]) of printable ASCII";

constexpr std::array kProgramKeys{
        ProgramKey{"user", "a user's name, or a number 0 .. 4294967294", "programs of this user",
                   set_number<&Rule::uid, 0, kMostUser>, get_number<&Rule::uid>},
        ProgramKey{"label", kPattern, "programs that call themselves so",
                   set_pattern<&Rule::label, what_is_wrong_with_pattern>, get_pattern<&Rule::label>,
                   what_is_wrong_with_pattern},
        ProgramKey{"executable", kPattern, "programs in files of this name, or with a / this path",
                   set_pattern<&Rule::executable, what_is_wrong_with_executable>,
                   get_pattern<&Rule::executable>, what_is_wrong_with_executable},
        ProgramKey{"weight", "1 .. 10000", "share against other programs of the same account",
                   set_number<&Rule::weight, 1, kMostWeight>, get_number<&Rule::weight>},
        ProgramKey{"min", "1 .. 65536", "threads that are guaranteed",
                   set_number<&Rule::min, 1, kMostThreads>, get_number<&Rule::min>},
        ProgramKey{"max", "1 .. 65536", "never more threads",
                   set_number<&Rule::max, 1, kMostThreads>, get_number<&Rule::max>},
        ProgramKey{"class", "interactive or batch", "whether others may go first", set_class,
                   get_class},
        ProgramKey{"ignore", "yes or no", "left alone, and not counted as load", set_ignore,
                   get_ignore},
        ProgramKey{"teams", "adapt or keep", "whether teams follow as with run --adapt", set_teams,
                   get_teams},
};

bool is_name_byte(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_';
}

}  // namespace

std::span<const ProgramKey> program_keys() { return kProgramKeys; }

std::string_view program_name(std::string_view section) {
        constexpr std::string_view kPrefix = "program ";
        constexpr std::size_t kLongest = 64;
        if (!section.starts_with(kPrefix))
                return {};
        const auto name = section.substr(kPrefix.size());
        return name.size() <= kLongest && std::ranges::all_of(name, is_name_byte)
                       ? name
                       : std::string_view{};
}

}  // namespace governor::config
