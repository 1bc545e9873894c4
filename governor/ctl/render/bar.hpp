// SPDX-License-Identifier: MIT
//
// A ratio as a horizontal bar.
#pragma once

#include <cstdint>
#include <string>

namespace ctl::render {

/// A bar of `width` cells, filled by `permyriad` / 10000. With `utf8` it ends in eighths of a
/// cell, else it is made of '#'; the empty rest is dots.
[[nodiscard]] std::string bar(std::uint32_t permyriad, std::size_t width, bool utf8);

/// Does the locale of this process (LC_ALL, LC_CTYPE, LANG) say UTF-8?
[[nodiscard]] bool terminal_is_utf8();

}  // namespace ctl::render
