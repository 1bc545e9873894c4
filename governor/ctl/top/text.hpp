// SPDX-License-Identifier: MIT
//
// Text that has a place on a screen. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ctl::top {

/// With spaces behind it, or cut, to exactly `width` columns.
[[nodiscard]] std::string fitted(std::string_view text, std::size_t width);

}  // namespace ctl::top
