// SPDX-License-Identifier: MIT
// Bytes and characters.
#include "top/text.hpp"

#include <algorithm>

namespace ctl::top {

namespace {

bool begins_a_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

}  // namespace

std::string plain(std::string_view text) {
        std::string clean(text);
        std::ranges::replace_if(
                clean, [](char c) { return c < ' ' || c > '~'; }, '?');
        return clean;
}

std::size_t width_of(std::string_view text) {
        return static_cast<std::size_t>(std::ranges::count_if(text, begins_a_character));
}

std::string cut(std::string_view text, std::size_t width) {
        if (width == 0 || width_of(text) <= width)
                return std::string(text);
        std::size_t characters = 0;
        std::size_t end = 0;
        while (end < text.size() && (characters += begins_a_character(text[end])) < width)
                end++;
        return std::string(text.substr(0, end)) + "~";
}

std::string fitted(std::string_view text, std::size_t width) {
        auto fit = width > 0 ? cut(text, width) : std::string();
        fit.append(width - std::min(width, width_of(fit)), ' ');
        return fit;
}

}  // namespace ctl::top
