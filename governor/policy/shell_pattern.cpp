// SPDX-License-Identifier: MIT
// One position to come back to is enough: whatever an earlier `*` could take, the last one can.
#include "policy/shell_pattern.hpp"

#include <algorithm>
#include <cstddef>

namespace governor::policy {

namespace {

/// What stands at the start of a pattern, for one byte.
struct Step {
        std::size_t length = 1;  ///< of the pattern
        bool matches = false;
};

/// Where the set that starts at pattern[0] == '[' ends; npos: it does not, so it is no set. A ']'
/// right at its start is a member.
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

/// `pattern` is not empty.
Step step(std::string_view pattern, char byte) {
        switch (pattern.front()) {
        case '?':
                return {1, true};
        case '\\':
                return pattern.size() > 1 ? Step{2, pattern[1] == byte} : Step{1, byte == '\\'};
        case '[':
                if (const auto end = end_of_set(pattern); end != pattern.npos) {
                        const bool inverted = pattern[1] == '!' || pattern[1] == '^';
                        const std::size_t start = inverted ? 2 : 1;
                        const bool member = is_member(pattern.substr(start, end - start),
                                                      static_cast<unsigned char>(byte));
                        return {end + 1, member != inverted};
                }
                return {1, byte == '['};
        default:
                return {1, pattern.front() == byte};
        }
}

}  // namespace

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
                const auto next = p < pattern.size() ? step(pattern.substr(p), text[t]) : Step{};
                if (next.matches) {
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
