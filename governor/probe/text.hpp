// SPDX-License-Identifier: MIT
//
// Lines, words and numbers of the texts that proc and sys consist of. Pure.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace governor::probe {

/// Cuts what is in front of the first `separator`, and the separator, off `text`; all of it if
/// there is none.
inline std::string_view take_until(std::string_view& text, char separator) {
        const auto part = text.substr(0, text.find(separator));
        text.remove_prefix(part.size() < text.size() ? part.size() + 1 : part.size());
        return part;
}

/// "12" -> 12; empty if `text` is anything but one number that fits.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
        Number number{};
        const auto* const end = text.data() + text.size();
        const auto [parsed, error] = std::from_chars(text.data(), end, number);
        return error == std::errc{} && parsed == end ? std::optional(number) : std::nullopt;
}

/// Is `word` one of the comma-separated `list`?
inline bool list_contains(std::string_view list, std::string_view word) {
        while (!list.empty())
                if (take_until(list, ',') == word)
                        return true;
        return false;
}

}  // namespace governor::probe
