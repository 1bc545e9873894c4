// SPDX-License-Identifier: MIT
// Text to numbers and back.
#include "simulation/scenario/quantities.hpp"

#include "config/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace simulation {

namespace {

constexpr std::int64_t kMicrosecond = 1'000;
constexpr std::int64_t kMillisecond = 1'000'000;

constexpr std::array<std::string_view, 10> kBehaviours{
        "honest", "start-only", "endless",  "silent", "greedy",
        "liar",   "boaster",    "unlinked", "keeper", "ungoverned"};

constexpr std::array<std::string_view, 3> kRuntimes{"free", "libgomp", "libomp"};

std::string_view trim(std::string_view text) {
        const auto first = text.find_first_not_of(" \t");
        if (first == text.npos)
                return {};
        return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The texts before and after `separator`; empty if it is not there.
std::optional<std::pair<std::string_view, std::string_view>> split(std::string_view text,
                                                                   std::string_view separator) {
        const auto at = text.find(separator);
        if (at == text.npos)
                return std::nullopt;
        return std::pair{trim(text.substr(0, at)), trim(text.substr(at + separator.size()))};
}

}  // namespace

std::optional<Time> parse_time(std::string_view text) {
        if (text == "0")
                return Time(0);
        if (text.ends_with("us")) {
                const auto us = parse_real(trim(text.substr(0, text.size() - 2)), 0, 1e9);
                if (!us)
                        return std::nullopt;
                return Time(static_cast<std::int64_t>(*us * kMicrosecond + 0.5));
        }
        const auto ms = governor::config::parse_duration(text);
        if (!ms)
                return std::nullopt;
        return Time(*ms);
}

std::string format_time(Time time) {
        if (time.count() == 0)
                return "0";
        if (time.count() % kMillisecond != 0)
                return format_real(static_cast<double>(time.count()) / kMicrosecond) + "us";
        return governor::config::format_duration(
                std::chrono::duration_cast<std::chrono::milliseconds>(time));
}

std::optional<std::uint64_t> parse_whole(std::string_view text, std::uint64_t low,
                                         std::uint64_t high) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || value < low || value > high)
                return std::nullopt;
        return value;
}

std::optional<double> parse_real(std::string_view text, double low, double high) {
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value,
                                                  std::chars_format::fixed);
        if (error != std::errc() || end != text.data() + text.size() ||
            !(value >= low && value <= high))
                return std::nullopt;
        return value;
}

std::string format_real(double value) {
        std::array<char, 64> text{};
        const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value,
                                                std::chars_format::fixed);
        return error == std::errc() ? std::string(text.data(), end) : "?";
}

std::optional<Range> parse_range(std::string_view text) {
        constexpr double kMost = 1e12;
        Range range;
        const auto ends = split(text, "..");
        const auto low = ends ? ends->first : trim(text);
        const auto high = ends ? ends->second : trim(text);
        if (low.empty() && high.empty())
                return std::nullopt;
        if (!low.empty()) {
                const auto value = parse_real(low, 0, kMost);
                if (!value)
                        return std::nullopt;
                range.low = *value;
        }
        if (!high.empty()) {
                const auto value = parse_real(high, range.low, kMost);
                if (!value)
                        return std::nullopt;
                range.high = *value;
        }
        return range;
}

std::string format_range(const Range& range) {
        const bool has_end = range.high < std::numeric_limits<double>::infinity();
        if (has_end && range.low == range.high)
                return format_real(range.low);
        return (range.low > 0 || !has_end ? format_real(range.low) : "") + ".." +
               (has_end ? format_real(range.high) : "");
}

std::optional<std::vector<Span>> parse_spans(std::string_view text) {
        std::vector<Span> spans;
        for (;;) {
                const auto comma = split(text, ",");
                const auto ends = split(comma ? comma->first : text, "..");
                if (!ends)
                        return std::nullopt;
                const auto from = parse_time(ends->first);
                const auto to = ends->second.empty() ? kNever : parse_time(ends->second);
                if (!from || !to || *from >= *to || (!spans.empty() && *from <= spans.back().to))
                        return std::nullopt;
                spans.push_back({*from, *to});
                if (!comma)
                        return spans;
                text = comma->second;
        }
}

std::string format_spans(const std::vector<Span>& spans) {
        std::string text;
        for (const auto& span : spans)
                text += (text.empty() ? "" : ", ") + format_time(span.from) + ".." +
                        (span.to == kNever ? "" : format_time(span.to));
        return text;
}

std::optional<Speedup> parse_speedup(std::string_view text) {
        if (text == "linear")
                return Speedup{};
        const auto parts = split(text, ":");
        if (!parts)
                return std::nullopt;
        if (parts->first == "amdahl")
                if (const auto part = parse_real(parts->second, 0, 1))
                        return Speedup{Speedup::Law::Amdahl, *part};
        if (parts->first == "flat")
                if (const auto most = parse_real(parts->second, 1, 65536))
                        return Speedup{Speedup::Law::Flat, *most};
        if (parts->first == "power")
                if (const auto exponent = parse_real(parts->second, 0, 1))
                        return Speedup{Speedup::Law::Power, *exponent};
        return std::nullopt;
}

std::string format_speedup(const Speedup& speedup) {
        switch (speedup.law) {
        case Speedup::Law::Linear:
                break;
        case Speedup::Law::Amdahl:
                return "amdahl:" + format_real(speedup.parameter);
        case Speedup::Law::Flat:
                return "flat:" + format_real(speedup.parameter);
        case Speedup::Law::Power:
                return "power:" + format_real(speedup.parameter);
        }
        return "linear";
}

std::optional<Behaviour> parse_behaviour(std::string_view text) {
        const auto* const found = std::ranges::find(kBehaviours, text);
        if (found == kBehaviours.end())
                return std::nullopt;
        return static_cast<Behaviour>(found - kBehaviours.begin());
}

std::string format_behaviour(Behaviour behaviour) {
        return std::string(kBehaviours[static_cast<std::size_t>(behaviour)]);
}

std::optional<Runtime> parse_runtime(std::string_view text) {
        const auto* const found = std::ranges::find(kRuntimes, text);
        if (found == kRuntimes.end())
                return std::nullopt;
        return static_cast<Runtime>(found - kRuntimes.begin());
}

std::string format_runtime(Runtime runtime) {
        return std::string(kRuntimes[static_cast<std::size_t>(runtime)]);
}

}  // namespace simulation
