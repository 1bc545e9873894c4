// SPDX-License-Identifier: MIT
// One position to come back to is enough: whatever an earlier `*` could take, the last one can.
#include "policy/shell_pattern.hpp"

#include <algorithm>
#include <cstddef>

namespace governor::policy {

namespace {

using Kind = PatternElement::Kind;

/// The end of the set that starts at pattern[0] == '['; npos: it does not end, so it is no set. A
/// ']' right at its start is a member.
std::size_t end_of_set(std::string_view pattern) {
        const bool inverted = pattern.size() > 1 && (pattern[1] == '!' || pattern[1] == '^');
        return pattern.find(']', inverted ? 3 : 2);
}

/// `members`: what stands between the brackets.
bool is_member(std::string_view members, unsigned char byte) {
        while (!members.empty()) {
                const bool range = members.size() >= 3 && members[1] == '-';
                const auto first = static_cast<unsigned char>(members.front());
                const auto last = static_cast<unsigned char>(members[range ? 2 : 0]);
                if (first <= byte && byte <= last)
                        return true;
                members.remove_prefix(range ? 3 : 1);
        }
        return false;
}

/// `set` with its brackets.
bool matches_set(std::string_view set, char byte) {
        const bool inverted = set[1] == '!' || set[1] == '^';
        set.remove_suffix(1);
        set.remove_prefix(inverted ? 2 : 1);
        return is_member(set, static_cast<unsigned char>(byte)) != inverted;
}

/// Does the `element` at the start of `pattern`, no `*`, match this byte?
bool matches_byte(const PatternElement& element, std::string_view pattern, char byte) {
        switch (element.kind) {
        case Kind::Set:
                return matches_set(pattern.substr(0, element.length), byte);
        case Kind::Byte:
                return element.byte == byte;
        default:
                return true;
        }
}

}  // namespace

PatternElement first_element(std::string_view pattern) {
        switch (pattern.front()) {
        case '*':
                return {Kind::AnyBytes, 1};
        case '?':
                return {Kind::AnyByte, 1};
        case '\\':
                return pattern.size() > 1 ? PatternElement{Kind::Byte, 2, pattern[1]}
                                          : PatternElement{Kind::Byte, 1, '\\'};
        case '[':
                if (const auto end = end_of_set(pattern); end != pattern.npos)
                        return {Kind::Set, end + 1};
                return {Kind::Byte, 1, '['};
        default:
                return {Kind::Byte, 1, pattern.front()};
        }
}

bool matches_shell_pattern(std::string_view pattern, std::string_view text) {
        auto after_star = std::string_view::npos;  // where the pattern goes on behind the last `*`
        std::size_t taken = 0;                     // where the text goes on behind what it took
        std::size_t p = 0;
        for (std::size_t t = 0; t < text.size();) {
                if (p < pattern.size() && pattern[p] == '*') {
                        after_star = ++p;
                        taken = t;
                        continue;
                }
                const auto rest = pattern.substr(p);
                const auto next = rest.empty() ? PatternElement{} : first_element(rest);
                if (!rest.empty() && matches_byte(next, rest, text[t])) {
                        p += next.length;
                        t++;
                } else if (after_star != std::string_view::npos) {
                        p = after_star;
                        t = ++taken;
                } else {
                        return false;
                }
        }
        return pattern.find_first_not_of('*', p) == pattern.npos;
}

}  // namespace governor::policy
