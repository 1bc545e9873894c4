// SPDX-License-Identifier: MIT
//
// A picture as lines of text. Pure.
#pragma once

#include "top/picture.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ctl::top {

struct Drawing {
        std::vector<std::string> lines;  ///< at most as many, and as wide, as the screen
        std::size_t page = 1;            ///< programs that fit
        std::size_t scroll = 0;          ///< of those there are, so many are above
};

[[nodiscard]] Drawing draw(const Picture& picture, const Controls& controls, const Screen& screen);

}  // namespace ctl::top
