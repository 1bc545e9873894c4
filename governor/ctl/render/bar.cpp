// SPDX-License-Identifier: MIT
// Block elements, or '#' where there are none.
#include "render/bar.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace ctl::render {

namespace {

constexpr std::size_t kEighths = 8;
constexpr std::size_t kFull = 10000;
constexpr std::array<std::string_view, kEighths> kPartial{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

}  // namespace

std::string bar(std::uint32_t permyriad, std::size_t width, bool utf8) {
        const auto eighths =
                (std::min<std::size_t>(permyriad, kFull) * width * kEighths + kFull / 2) / kFull;
        auto cells = utf8 ? eighths / kEighths : (eighths + kEighths / 2) / kEighths;
        std::string text;
        for (std::size_t i = 0; i < cells; i++)
                text += utf8 ? "█" : "#";
        if (const auto rest = eighths % kEighths; utf8 && rest > 0) {
                text += kPartial[rest];
                cells++;
        }
        for (; cells < width; cells++)
                text += utf8 ? "·" : ".";
        return text;
}

bool terminal_is_utf8() {
        for (const auto* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
                const char* value = std::getenv(name);
                if (value == nullptr || *value == '\0')
                        continue;
                const std::string_view locale(value);
                return locale.find("UTF-8") != locale.npos || locale.find("utf8") != locale.npos ||
                       locale.find("utf-8") != locale.npos;
        }
        return false;
}

}  // namespace ctl::render
