// SPDX-License-Identifier: MIT
//
// Text that is safe and short enough for a terminal. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ctl::top {

/// What comes from elsewhere must not steer the terminal: all but printable ASCII becomes '?'.
[[nodiscard]] std::string plain(std::string_view text);

/// At most `width` characters of UTF-8, 0: all; what is cut ends in "~".
[[nodiscard]] std::string cut(std::string_view text, std::size_t width);

/// Characters of UTF-8.
[[nodiscard]] std::size_t width_of(std::string_view text);

/// With spaces behind it, or cut, to exactly `width`.
[[nodiscard]] std::string fitted(std::string_view text, std::size_t width);

}  // namespace ctl::top
