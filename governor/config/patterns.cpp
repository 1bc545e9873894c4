// SPDX-License-Identifier: MIT
// Patterns, element by element.
#include "config/patterns.hpp"

#include "policy/shell_pattern.hpp"

#include <array>

namespace governor::config {

namespace {

using policy::first_element;
using policy::matches_shell_pattern;
using Kind = policy::PatternElement::Kind;

constexpr char kWildcard = '\0';

bool is_empty_set(std::string_view set) {
        for (unsigned byte = 1; byte <= UINT8_MAX; byte++)
                if (const char text = static_cast<char>(byte);
                    matches_shell_pattern(set, {&text, 1}))
                        return false;
        return true;
}

/// The bytes that stand for themselves, and kWildcard for everything else.
std::string plain(std::string_view pattern) {
        std::string text;
        while (!pattern.empty()) {
                const auto element = first_element(pattern);
                text += element.kind == Kind::Byte ? element.byte : kWildcard;
                pattern.remove_prefix(element.length);
        }
        return text;
}

bool may_begin_with_slash(std::string_view pattern) {
        const auto element = first_element(pattern);
        return element.kind == Kind::AnyBytes ||
               matches_shell_pattern(pattern.substr(0, element.length), "/");
}

}  // namespace

std::string what_is_wrong_with_pattern(std::string_view pattern) {
        while (!pattern.empty()) {
                const auto element = first_element(pattern);
                const auto text = pattern.substr(0, element.length);
                if (text == "[")
                        return "its `[` has no `]`; write `\\[` for the bracket itself";
                if (element.kind == Kind::Set && is_empty_set(text))
                        return "`" + std::string(text) +
                               "` fits nothing; write the lower end of a range first";
                pattern.remove_prefix(element.length);
        }
        return {};
}

std::string what_is_wrong_with_executable(std::string_view pattern) {
        auto wrong = what_is_wrong_with_pattern(pattern);
        if (!wrong.empty() || pattern.find('/') == pattern.npos)
                return wrong;
        if (!may_begin_with_slash(pattern))
                return "with a `/` in it it is a whole path, and that begins with `/`; write `*/" +
                       std::string(pattern) + "` for one in any folder";
        const auto path = plain(pattern);
        if (path.ends_with('/'))
                return "no program's path ends with `/`; write `" + std::string(pattern) +
                       "*` for all below";
        for (const std::string_view part : {"//", "/./", "/../"})
                if ((path + "/").find(part) != path.npos)
                        return "no program's path has `" + std::string(part) +
                               "` in it; write the path that it leads to";
        return {};
}

}  // namespace governor::config
