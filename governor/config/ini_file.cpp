// SPDX-License-Identifier: MIT
// inih, fed line by line so that we know the number of the line it speaks of.
#include "config/ini_file.hpp"

#include <algorithm>
#include <cstring>
#include <ini.h>

namespace governor::config {

namespace {

struct Feed {
        std::string_view rest;
        std::size_t line = 0;
        IniFile file;
};

void complain(Feed& feed, std::string message) {
        feed.file.errors.push_back({feed.line, std::move(message)});
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
        line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));

        const auto room = static_cast<std::size_t>(size) - 2;
        if (line.size() > room) {
                complain(feed, "line longer than " + std::to_string(room) + " bytes");
                line = {};
        } else if (line.find('\0') != line.npos) {
                complain(feed, "line with a NUL byte");
                line = {};
        } else if (!line.empty() && line.front() != '#' && line.front() != ';' &&
                   line.front() != '[' && line.find_first_of("=:") == line.npos) {
                complain(feed, "not of the form `key = value` or `[section]`");
                line = {};
        } else if (!line.empty() && line.front() == '[' && line.find(']') == line.npos) {
                complain(feed, "section without a closing ]");
                line = {};
        }
        std::memcpy(buffer, line.data(), line.size());
        buffer[line.size()] = '\n';
        buffer[line.size() + 1] = '\0';
        return buffer;
}

int take_assignment(void* user, const char* section, const char* key, const char* value) {
        auto& feed = *static_cast<Feed*>(user);
        feed.file.assignments.push_back({section, key, value != nullptr ? value : "", feed.line});
        return 1;
}

}  // namespace

IniFile parse_ini(std::string_view text) {
        Feed feed{text, 0, {}};
        const auto failed_line = ini_parse_stream(next_line, &feed, take_assignment, &feed);
        if (failed_line > 0 && feed.file.errors.empty())
                feed.file.errors.push_back(
                        {static_cast<std::size_t>(failed_line), "not understood"});
        return std::move(feed.file);
}

}  // namespace governor::config
