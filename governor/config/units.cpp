// SPDX-License-Identifier: MIT
// Decimal numbers with a unit behind them.
#include "config/units.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace governor::config {

namespace {

struct Quantity {
        double number = 0;
        std::string_view unit;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Digits with at most one point, then the unit; no sign, no exponent, at most 12 digits.
std::optional<Quantity> split(std::string_view text) {
        constexpr std::size_t kMostDigits = 12;
        Quantity quantity;
        std::size_t digits = 0;
        double scale = 0;  // 0 before the point, then 0.1, 0.01, ...
        for (; !text.empty() && (is_digit(text.front()) || text.front() == '.');
             text.remove_prefix(1)) {
                if (text.front() == '.') {
                        if (digits == 0 || scale != 0)
                                return std::nullopt;
                        scale = 1;
                        continue;
                }
                const int digit = text.front() - '0';
                quantity.number = scale == 0 ? quantity.number * 10 + digit
                                             : quantity.number + digit * (scale /= 10);
                if (++digits > kMostDigits)
                        return std::nullopt;
        }
        if (digits == 0 || scale == 1)
                return std::nullopt;
        while (!text.empty() && text.front() == ' ')
                text.remove_prefix(1);
        quantity.unit = text;
        return quantity;
}

struct Unit {
        std::string_view name;
        std::int64_t ms;
};

constexpr std::array kUnits{Unit{"h", 3'600'000}, Unit{"min", 60'000}, Unit{"s", 1000},
                            Unit{"ms", 1}};
constexpr double kLongest_ms = 24 * 3'600'000.0;

}  // namespace

std::optional<std::uint32_t> parse_number(std::string_view text) {
        std::uint32_t number = 0;
        const auto* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, number);
        return error == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
        const auto quantity = split(text);
        if (!quantity)
                return std::nullopt;
        for (const auto& unit : kUnits) {
                if (quantity->unit != unit.name)
                        continue;
                const double ms = quantity->number * static_cast<double>(unit.ms);
                if (ms > kLongest_ms)
                        return std::nullopt;
                return std::chrono::milliseconds{std::llround(ms)};
        }
        return std::nullopt;
}

std::string format_duration(std::chrono::milliseconds duration) {
        for (const auto& unit : kUnits)
                if (duration.count() >= unit.ms && duration.count() % unit.ms == 0)
                        return std::to_string(duration.count() / unit.ms) + std::string(unit.name);
        return std::to_string(duration.count()) + "ms";
}

std::optional<std::uint32_t> parse_percent(std::string_view text) {
        const auto quantity = split(text);
        if (!quantity || quantity->unit != "%" || quantity->number > 100)
                return std::nullopt;
        return static_cast<std::uint32_t>(std::lround(quantity->number * 100));
}

std::optional<bool> parse_yes(std::string_view text) {
        if (text != "yes" && text != "no")
                return std::nullopt;
        return text == "yes";
}

std::string format_yes(bool is_yes) { return is_yes ? "yes" : "no"; }

}  // namespace governor::config
