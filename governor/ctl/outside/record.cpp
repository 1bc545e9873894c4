// SPDX-License-Identifier: MIT
// One line for each thing, and a last line, so that a part of a record is none.
#include "outside/record.hpp"

#include "outside/choose.hpp"
#include "probe/text.hpp"

namespace ctl::outside {

namespace {

using governor::probe::parse_number;
using governor::probe::take_until;

constexpr std::string_view kFirst = "governorctl 1";
constexpr std::string_view kLast = "end";
constexpr std::size_t kLongestBoot = 64;

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

bool take_line(std::string_view line, Record& record) {
        const auto word = take_until(line, ' ');
        if (word == "boot" && line.size() <= kLongestBoot) {
                record.boot = line;
                return true;
        }
        if (word == "run")
                return take_run(line, record);
        return word == "autogroup" && take_autogroup(line, record);
}

}  // namespace

std::string to_text(const Record& record) {
        std::string text = std::string(kFirst) + "\nboot " + record.boot + "\nrun " +
                           std::to_string(record.run.pid) + " " +
                           std::to_string(record.run.started_ticks) + "\n";
        for (const auto& group : record.autogroups)
                text += "autogroup " + std::to_string(group.id) + " " + std::to_string(group.was) +
                        "\n";
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
