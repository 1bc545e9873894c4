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
constexpr std::size_t kLongestList = 2048;

bool take_id(std::string_view words, ProcessId& ret_id) {
        const auto pid = parse_number<std::uint32_t>(take_until(words, ' '));
        const auto started = parse_number<std::uint64_t>(words);
        if (!pid || !started)
                return false;
        ret_id = {*pid, *started};
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

std::optional<governor::policy::CpuMask> take_list(std::string_view words) {
        const auto list = words.size() <= kLongestList ? governor::policy::parse_cpu_list(words)
                                                       : std::nullopt;
        return list && !list->empty() ? std::optional(governor::policy::CpuMask(*list))
                                      : std::nullopt;
}

/// "CPU SINCE OPEN"
bool take_narrowed(std::string_view words, Record& record) {
        const auto cpu = parse_number<std::uint32_t>(take_until(words, ' '));
        const auto since = parse_number<std::uint64_t>(take_until(words, ' '));
        const auto open = take_list(words);
        if (!cpu || !since || !open || open->count() < 2 || record.narrowed)
                return false;
        record.narrowed = Narrowed{*open, *cpu, *since, {}, {}};
        return open->contains(*cpu);
}

/// "SINCE OPEN"
bool take_fenced(std::string_view words, Record& record) {
        const auto since = parse_number<std::uint64_t>(take_until(words, ' '));
        const auto open = take_list(words);
        if (!since || !open || record.fenced)
                return false;
        record.fenced = Fenced{*open, *since, {}, {}};
        return true;
}

bool take_mask(std::string_view words, Record& record) {
        const auto mask = take_list(words);
        if (!mask || !record.fenced || record.fenced->masks.size() == kMostMasks)
                return false;
        record.fenced->masks.push_back(*mask);
        return true;
}

/// Takes a process of a tree that has been told of before.
template <class Tree>
bool take_process(std::string_view words, std::optional<Tree>& tree) {
        ProcessId id;
        if (!tree || tree->processes.size() == kMostNarrowed || !take_id(words, id))
                return false;
        tree->processes.push_back(id);
        return true;
}

bool take_group(std::string_view words, Record& record) {
        const auto id = parse_number<std::uint64_t>(words);
        if (!record.narrowed || record.narrowed->groups.size() == kMostAutogroups || !id)
                return false;
        record.narrowed->groups.push_back(*id);
        return true;
}

std::string to_text(std::string_view word, const ProcessId& process) {
        return std::string(word) + " " + std::to_string(process.pid) + " " +
               std::to_string(process.started_ticks) + "\n";
}

std::string to_text(const Narrowed& tree) {
        auto text = "narrowed " + std::to_string(tree.cpu) + " " +
                    std::to_string(tree.since_ticks) + " " +
                    governor::policy::format_cpu_list(tree.open.to_set()) + "\n";
        for (const auto& process : tree.processes)
                text += to_text("process", process);
        for (const auto group : tree.groups)
                text += "in " + std::to_string(group) + "\n";
        return text;
}

std::string to_text(const Fenced& tree) {
        auto text = "fenced " + std::to_string(tree.since_ticks) + " " +
                    governor::policy::format_cpu_list(tree.open.to_set()) + "\n";
        for (const auto& mask : tree.masks)
                text += "mask " + governor::policy::format_cpu_list(mask.to_set()) + "\n";
        for (const auto& process : tree.processes)
                text += to_text("member", process);
        return text;
}

bool take_line(std::string_view line, Record& record) {
        const auto word = take_until(line, ' ');
        if (word == "boot" && line.size() <= kLongestBoot) {
                record.boot = line;
                return true;
        }
        if (word == "run")
                return take_id(line, record.run);
        if (word == "scope")
                return take_scope(line, record);
        if (word == "narrowed")
                return take_narrowed(line, record);
        if (word == "process")
                return take_process(line, record.narrowed);
        if (word == "in")
                return take_group(line, record);
        if (word == "fenced")
                return take_fenced(line, record);
        if (word == "mask")
                return take_mask(line, record);
        if (word == "member")
                return take_process(line, record.fenced);
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
        std::string text =
                std::string(kFirst) + "\nboot " + record.boot + "\n" + to_text("run", record.run);
        for (const auto& group : record.autogroups)
                text += "autogroup " + std::to_string(group.id) + " " + std::to_string(group.was) +
                        "\n";
        for (const auto& scope : record.scopes)
                text += "scope " + scope + "\n";
        if (record.narrowed)
                text += to_text(*record.narrowed);
        if (record.fenced)
                text += to_text(*record.fenced);
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
