// SPDX-License-Identifier: MIT
// One line for each thing, and a last line, so that a part of a record is none.
#include "outside/record.hpp"

#include "outside/choose.hpp"
#include "probe/text.hpp"

#include <algorithm>

namespace ctl::outside {

namespace {

using governor::probe::parse_number;
using governor::probe::take_until;

constexpr std::string_view kFirst = "governorctl 1";
constexpr std::string_view kLast = "end";
constexpr std::size_t kLongestBoot = 64;
constexpr std::size_t kLongestGroup = 512;

bool take_run(std::string_view words, Record& record) {
        const auto pid = parse_number<std::uint32_t>(take_until(words, ' '));
        const auto started = parse_number<std::uint64_t>(words);
        if (!pid || !started)
                return false;
        record.run = {*pid, *started};
        return true;
}

bool take_autogroup(std::string_view words, Record& record) {
        const auto id = parse_number<std::uint64_t>(take_until(words, ' '));
        const auto was = parse_number<int>(words);
        if (!id || !was || *was < 0 || *was >= kYieldingNice ||
            record.autogroups.size() == kMostAutogroups)
                return false;
        record.autogroups.push_back({*id, *was});
        return true;
}

bool take_scope(std::string_view group, Record& record) {
        if (!is_scope_of_ours(group) || record.scopes.size() == kMostScopes)
                return false;
        record.scopes.emplace_back(group);
        return true;
}

bool take_line(std::string_view line, Record& record) {
        const auto word = take_until(line, ' ');
        if (word == "boot" && line.size() <= kLongestBoot) {
                record.boot = line;
                return true;
        }
        if (word == "run")
                return take_run(line, record);
        if (word == "scope")
                return take_scope(line, record);
        return word == "autogroup" && take_autogroup(line, record);
}

}  // namespace

bool is_scope_of_ours(std::string_view group) {
        const auto unit = group.substr(group.rfind('/') + 1);
        return group.starts_with('/') && group.size() <= kLongestGroup &&
               group.find("/../") == group.npos && unit.starts_with(kScopePrefix) &&
               unit.ends_with(".scope") &&
               std::ranges::all_of(group, [](char c) { return c > ' ' && c <= '~'; });
}

std::string unit_of(const std::string& group) { return group.substr(group.rfind('/') + 1); }

std::string to_text(const Record& record) {
        std::string text = std::string(kFirst) + "\nboot " + record.boot + "\nrun " +
                           std::to_string(record.run.pid) + " " +
                           std::to_string(record.run.started_ticks) + "\n";
        for (const auto& group : record.autogroups)
                text += "autogroup " + std::to_string(group.id) + " " + std::to_string(group.was) +
                        "\n";
        for (const auto& scope : record.scopes)
                text += "scope " + scope + "\n";
        return text + std::string(kLast) + "\n";
}

std::optional<Record> parse_record(std::string_view text) {
        if (text.size() > kLargestRecord || text.empty() || text.back() != '\n' ||
            take_until(text, '\n') != kFirst)
                return std::nullopt;
        Record record;
        while (!text.empty()) {
                const auto line = take_until(text, '\n');
                if (line == kLast)
                        return text.empty() ? std::optional(record) : std::nullopt;
                if (!take_line(line, record))
                        return std::nullopt;
        }
        return std::nullopt;
}

}  // namespace ctl::outside
