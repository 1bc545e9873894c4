// SPDX-License-Identifier: MIT
// Columns and spaces.
#include "top/text.hpp"

#include "render/columns.hpp"

#include <algorithm>

namespace ctl::top {

std::string fitted(std::string_view text, std::size_t width) {
        auto fit = width > 0 ? render::cut(text, width) : std::string();
        fit.append(width - std::min(width, render::width_of(fit)), ' ');
        return fit;
}

}  // namespace ctl::top
