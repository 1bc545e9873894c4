// SPDX-License-Identifier: MIT
// Characters and their columns.
#include "render/columns.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <governor/v1/text.h>

namespace ctl::render {

namespace {

struct Range {
        std::uint32_t first;
        std::uint32_t last;
};

/// Marks that combine, joiners and selectors: the blocks of Unicode in which there is nothing else,
/// and the marks of the scripts that use most of them.
constexpr std::array kCombining{
        Range{0x0300, 0x036f}, Range{0x0483, 0x0489},   Range{0x0591, 0x05bd},
        Range{0x0610, 0x061a}, Range{0x064b, 0x065f},   Range{0x0e31, 0x0e31},
        Range{0x0e34, 0x0e3a}, Range{0x0e47, 0x0e4e},   Range{0x1ab0, 0x1aff},
        Range{0x1dc0, 0x1dff}, Range{0x200b, 0x200d},   Range{0x2060, 0x2064},
        Range{0x20d0, 0x20ff}, Range{0xfe00, 0xfe0f},   Range{0xfe20, 0xfe2f},
        Range{0xfeff, 0xfeff}, Range{0x1f3fb, 0x1f3ff}, Range{0xe0000, 0xe01ef}};

constexpr std::array kWide{
        Range{0x1100, 0x115f},   Range{0x2e80, 0x303e},   Range{0x3041, 0xa4cf},
        Range{0xac00, 0xd7a3},   Range{0xf900, 0xfaff},   Range{0xfe30, 0xfe6f},
        Range{0xff00, 0xff60},   Range{0xffe0, 0xffe6},   Range{0x1f300, 0x1f64f},
        Range{0x1f680, 0x1f6ff}, Range{0x1f900, 0x1f9ff}, Range{0x20000, 0x3fffd}};

bool is_in(const auto& ranges, std::uint32_t point) {
        return std::ranges::any_of(ranges, [point](const Range& range) {
                return point >= range.first && point <= range.last;
        });
}

struct Character {
        std::size_t bytes;
        std::size_t columns;
};

/// A byte that is no UTF-8 is one, too.
Character first_of(std::string_view text) {
        std::uint32_t point = 0;
        const auto bytes = governor_text_character(text.data(), text.size(), &point);
        if (bytes == 0)
                return {1, 1};
        return {bytes, is_in(kCombining, point) ? 0U : is_in(kWide, point) ? 2U : 1U};
}

}  // namespace

std::string printable(std::string_view text) {
        std::string clean(text);
        clean.resize(governor_text_printable(clean.data(), clean.size(), clean.data()));
        return clean;
}

std::size_t width_of(std::string_view text) {
        std::size_t columns = 0;
        while (!text.empty()) {
                const auto character = first_of(text);
                columns += character.columns;
                text.remove_prefix(character.bytes);
        }
        return columns;
}

std::string cut(std::string_view text, std::size_t width) {
        if (width == 0 || width_of(text) <= width)
                return std::string(text);
        std::size_t end = 0;
        std::size_t columns = 1;  // of the mark
        for (;;) {
                const auto character = first_of(text.substr(end));
                columns += character.columns;
                if (columns > width)
                        return std::string(text.substr(0, end)) + "~";
                end += character.bytes;
        }
}

}  // namespace ctl::render
