// SPDX-License-Identifier: MIT
//
// Columns of text for people.
#pragma once

#include <string>
#include <vector>

namespace ctl::render {

enum class Align : unsigned char { Left, Right };

struct Column {
        std::string title;
        Align align = Align::Left;
};

/// Each column as wide as its widest cell, two spaces between, no spaces at the end of a line. A
/// row has as many cells as there are columns. Widths are those of columns.hpp. Without any title
/// there is no title line.
[[nodiscard]] std::string table(const std::vector<Column>& columns,
                                const std::vector<std::vector<std::string>>& rows);

}  // namespace ctl::render
