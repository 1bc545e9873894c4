// SPDX-License-Identifier: MIT
// inih, fed line by line so that we know the number of the line it speaks of.
#include "config/ini_file.hpp"

#include <algorithm>
#include <ini.h>

namespace governor::config {

namespace {

struct Feed {
        std::string_view rest;
        std::size_t line = 0;
        IniFile file;
        bool is_below_refused_section = false;
};

/// White space is gone from the line's start.
bool is_blank(std::string_view line) {
        return line.empty() || line.front() == '#' || line.front() == ';';
}

bool ends_after_section(std::string_view line) {
        const auto end = line.find(']');
        if (end == line.npos)
                return false;
        line.remove_prefix(end + 1);
        line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
        return is_blank(line);
}

/// What inih would misread without a word; `room` is its longest line.
std::string what_is_wrong(std::string_view line, std::size_t room) {
        if (is_blank(line))
                return {};
        if (line.size() > room)
                return "line longer than " + std::to_string(room) + " bytes";
        if (line.find('\0') != line.npos)
                return "line with a NUL byte";
        if (line.front() == '[')
                return ends_after_section(line) ? "" : "not of the form `[section]`";
        return line.find_first_of("=:") == line.npos
                       ? "not of the form `key = value` or `[section]`"
                       : "";
}

/// Hands inih the next line, as fgets would. Leading white space goes, since inih would take an
/// indented line for the continuation of the value above.
char* next_line(char* buffer, int size, void* stream) {
        auto& feed = *static_cast<Feed*>(stream);
        if (feed.rest.empty())
                return nullptr;
        feed.line++;
        auto line = feed.rest.substr(0, feed.rest.find('\n'));
        feed.rest.remove_prefix(std::min(line.size() + 1, feed.rest.size()));
        line.remove_prefix(std::min(line.find_first_not_of(" \t\r\v\f"), line.size()));

        const auto room = static_cast<std::size_t>(size) - 2;
        const auto wrong = what_is_wrong(line, room);
        if (line.starts_with('['))
                feed.is_below_refused_section = !wrong.empty();
        if (!wrong.empty())
                feed.file.errors.push_back({feed.line, wrong});
        if (!wrong.empty() || is_blank(line))
                line = {};
        if (line.starts_with('['))
                feed.file.sections.push_back(
                        {std::string(line.substr(1, line.find(']') - 1)), feed.line, {}});
        char* end = std::ranges::copy(line, buffer).out;
        *end++ = '\n';
        *end = '\0';
        return buffer;
}

/// The section that inih names may be cut short.
int take_assignment(void* user, const char*, const char* key, const char* value) {
        auto& feed = *static_cast<Feed*>(user);
        if (feed.is_below_refused_section)
                return 1;
        const std::string_view text = value != nullptr ? value : "";
        if (text.starts_with(';'))  // with white space before it, it would be a comment
                feed.file.errors.push_back(
                        {feed.line, "`" + std::string(key) + " = " + std::string(text) +
                                            "`: a value cannot begin with `;`; write white space "
                                            "before a comment, and `\\;` in a pattern"});
        else
                feed.file.sections.back().assignments.push_back(
                        {key, std::string(text), feed.line});
        return 1;
}

}  // namespace

IniFile parse_ini(std::string_view text) {
        constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
        if (text.starts_with(kByteOrderMark))
                text.remove_prefix(kByteOrderMark.size());
        Feed feed{text, 0, {{Section{}}, {}}};
        // Lines that we complained about it has not seen: what it names is another one.
        if (const auto line = ini_parse_stream(next_line, &feed, take_assignment, &feed); line > 0)
                feed.file.errors.push_back({static_cast<std::size_t>(line), "not understood"});
        std::ranges::sort(feed.file.errors, {}, &IniError::line);
        return std::move(feed.file);
}

}  // namespace governor::config
