// SPDX-License-Identifier: MIT
//
// Text that is safe for a terminal, and how much room it takes there. The text is UTF-8, whatever
// the locale. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ctl::render {

/// Text from elsewhere must not steer the terminal. A '?' stands for each character that could,
/// line breaks and changes of direction included, and for each byte that is no UTF-8.
[[nodiscard]] std::string printable(std::string_view text);

/// Columns of a terminal: none for a character that combines with the one before, two for a wide
/// one (East Asian, emoji), one for any other.
[[nodiscard]] std::size_t width_of(std::string_view text);

/// At most `width` columns, 0: all; what is cut ends in "~".
[[nodiscard]] std::string cut(std::string_view text, std::size_t width);

}  // namespace ctl::render
