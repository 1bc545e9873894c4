// SPDX-License-Identifier: MIT
// Finds each argument in the table, and says what would have been accepted.
#include "arguments.hpp"

#include <algorithm>
#include <charconv>

namespace examples {
namespace {

std::string joined(const std::vector<std::string_view>& words) {
        std::string text;

        for (const auto word : words)
                text.append(text.empty() ? "" : ", ").append(word);
        return text;
}

/// 0: no such suffix.
std::uint64_t factor_of(std::string_view suffix) {
        if (suffix.empty())
                return 1;
        if (suffix == "K")
                return 1ULL << 10;
        if (suffix == "M")
                return 1ULL << 20;
        return suffix == "G" ? 1ULL << 30 : 0;
}

std::optional<std::uint64_t> number_in(std::string_view text) {
        std::uint64_t number = 0;
        const auto* end = text.data() + text.size();
        const auto [rest, failure] = std::from_chars(text.data(), end, number);
        const auto factor = factor_of({rest, static_cast<std::size_t>(end - rest)});

        if (failure != std::errc{} || factor == 0 || number > UINT64_MAX / factor)
                return std::nullopt;
        return number * factor;
}

}  // namespace

void Arguments::flag(std::string_view name, bool& given) {
        options_.push_back({.name = name, .flag = &given});
}

void Arguments::number(std::string_view name, std::uint64_t& value, std::uint64_t min,
                       std::uint64_t max) {
        options_.push_back({.name = name, .number = &value, .min = min, .max = max});
}

void Arguments::word(std::string_view name, std::string& value,
                     std::vector<std::string_view> accepted) {
        options_.push_back({.name = name, .word = &value, .accepted = std::move(accepted)});
}

Arguments::Match Arguments::match(std::string_view argument) const {
        for (const auto& option : options_) {
                if (argument == option.name)
                        return {&option};
                if (option.flag != nullptr || !argument.starts_with(option.name))
                        continue;
                const auto rest = argument.substr(option.name.size());
                if (rest.starts_with('='))
                        return {&option, rest.substr(1)};
                if (!option.name.starts_with("--"))
                        return {&option, rest};
        }
        return {};
}

std::string Arguments::unknown_text(std::string_view argument) const {
        std::vector<std::string_view> names;

        for (const auto& option : options_)
                names.push_back(option.name);
        return std::string{"'"}.append(argument) + "': unknown option; accepted are " +
               joined(names);
}

std::string Arguments::range_text(const Option& option) {
        if (option.number != nullptr)
                return "accepted is a whole number from " + std::to_string(option.min) + " to " +
                       std::to_string(option.max);
        return option.accepted.empty() ? "accepted is any text that is not empty"
                                       : "accepted is one of " + joined(option.accepted);
}

bool Arguments::store(const Option& option, std::string_view value) {
        if (option.number != nullptr) {
                const auto number = number_in(value);
                if (!number || *number < option.min || *number > option.max)
                        return false;
                *option.number = *number;
                return true;
        }
        if (value.empty() || (!option.accepted.empty() &&
                              std::ranges::find(option.accepted, value) == option.accepted.end()))
                return false;
        *option.word = value;
        return true;
}

std::string Arguments::parse(std::span<char* const> arguments) const {
        for (std::size_t i = 0; i < arguments.size(); ++i) {
                auto [option, value] = match(arguments[i]);

                if (option == nullptr)
                        return unknown_text(arguments[i]);
                const std::string name{option->name};
                if (option->flag != nullptr) {
                        *option->flag = true;
                        continue;
                }
                if (!value && i + 1 < arguments.size())
                        value = arguments[++i];
                if (!value)
                        return name + ": no value given; " + range_text(*option);
                if (!store(*option, *value))
                        return name + " '" + std::string{*value} + "': " + range_text(*option);
        }
        return {};
}

}  // namespace examples
