// SPDX-License-Identifier: MIT
// Line by line, since no value goes on in the next one.
#include "config/ini_file.hpp"

#include <algorithm>
#include <utility>

namespace governor::config {

namespace {

constexpr std::string_view kWhiteSpace = " \t\r\v\f";

/// A pattern has room for any path, and `governorctl config` for any rule (GOVERNOR_REPLY_MAX).
constexpr std::size_t kLongestLine = 8192;

std::string_view trim(std::string_view text) {
        text.remove_prefix(std::min(text.find_first_not_of(kWhiteSpace), text.size()));
        return text.substr(0, text.find_last_not_of(kWhiteSpace) + 1);
}

bool is_blank(std::string_view line) {
        return line.empty() || line.front() == '#' || line.front() == ';';
}

/// A `;` behind white space, and all that follows, is a comment.
std::string_view without_comment(std::string_view line) {
        for (auto at = line.find(';'); at != line.npos; at = line.find(';', at + 1))
                if (at > 0 && kWhiteSpace.find(line[at - 1]) != kWhiteSpace.npos)
                        return trim(line.substr(0, at));
        return line;
}

/// Empty if all is well; `line` is not blank.
std::string what_is_wrong(std::string_view line) {
        if (line.size() > kLongestLine)
                return "line longer than " + std::to_string(kLongestLine) + " bytes";
        if (line.find('\0') != line.npos)
                return "line with a NUL byte";
        const auto end = line.find(']');
        if (line.front() == '[')
                return end != line.npos && is_blank(trim(line.substr(end + 1)))
                               ? ""
                               : "not of the form `[section]`";
        return line.find_first_of("=:") == line.npos
                       ? "not of the form `key = value` or `[section]`"
                       : "";
}

/// Takes trimmed lines one after the other.
class Reader {
public:
        void take(std::string_view line, std::size_t number) {
                if (is_blank(line))
                        return;
                const bool is_section = line.front() == '[';
                if (!is_section)
                        line = without_comment(line);
                const auto wrong = what_is_wrong(line);
                if (is_section)
                        is_below_refused_section_ = !wrong.empty();
                if (!wrong.empty())
                        file_.errors.push_back({number, wrong});
                else if (is_section)
                        file_.sections.push_back(
                                {std::string(line.substr(1, line.find(']') - 1)), number, {}});
                else if (!is_below_refused_section_)
                        take_assignment(line, number);
        }
        [[nodiscard]] IniFile file() && { return std::move(file_); }

private:
        void take_assignment(std::string_view line, std::size_t number) {
                const auto separator = line.find_first_of("=:");
                const std::string key(trim(line.substr(0, separator)));
                const std::string value(trim(line.substr(separator + 1)));
                // With white space in front of it, it would be a comment.
                if (value.starts_with(';'))
                        file_.errors.push_back(
                                {number, "`" + key + " = " + value +
                                                 "`: a value cannot begin with `;`; write white "
                                                 "space before a comment, and `\\;` in a pattern"});
                else
                        file_.sections.back().assignments.push_back({key, value, number});
        }

        IniFile file_{{Section{}}, {}};
        bool is_below_refused_section_ = false;
};

}  // namespace

IniFile parse_ini(std::string_view text) {
        constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
        if (text.starts_with(kByteOrderMark))
                text.remove_prefix(kByteOrderMark.size());
        Reader reader;
        for (std::size_t number = 1; !text.empty(); number++) {
                const auto line = text.substr(0, text.find('\n'));
                text.remove_prefix(std::min(line.size() + 1, text.size()));
                reader.take(trim(line), number);
        }
        return std::move(reader).file();
}

}  // namespace governor::config
