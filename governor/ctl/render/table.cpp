// SPDX-License-Identifier: MIT
// Alignment.
#include "render/table.hpp"

#include "render/columns.hpp"

#include <algorithm>

namespace ctl::render {

namespace {

std::string line(const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
                 const std::vector<std::string>& cells) {
        std::string text;
        for (std::size_t i = 0; i < columns.size(); i++) {
                const std::string padding(widths[i] - width_of(cells[i]), ' ');
                text += i > 0 ? "  " : "";
                text += columns[i].align == Align::Right ? padding + cells[i] : cells[i] + padding;
        }
        text.erase(text.find_last_not_of(' ') + 1);
        return text + '\n';
}

}  // namespace

std::string table(const std::vector<Column>& columns,
                  const std::vector<std::vector<std::string>>& rows) {
        std::vector<std::string> titles;
        std::vector<std::size_t> widths;
        for (const auto& column : columns) {
                titles.push_back(column.title);
                widths.push_back(width_of(column.title));
        }
        for (const auto& row : rows)
                for (std::size_t i = 0; i < columns.size(); i++)
                        widths[i] = std::max(widths[i], width_of(row[i]));
        const bool titled = std::ranges::any_of(titles, [](const auto& t) { return !t.empty(); });
        std::string text = titled ? line(columns, widths, titles) : "";
        for (const auto& row : rows)
                text += line(columns, widths, row);
        return text;
}

}  // namespace ctl::render
