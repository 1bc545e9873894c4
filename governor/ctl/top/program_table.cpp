// SPDX-License-Identifier: MIT
// Who comes first, and what is said of whom.
#include "top/program_table.hpp"

#include "render/client_row.hpp"
#include "render/columns.hpp"
#include "top/cpu_map.hpp"

#include <algorithm>
#include <sstream>

namespace ctl::top {

namespace {

using governor::v1::Client;

std::string user(const Picture& picture, const Client& client) {
        const auto found = picture.users.find(client.uid());
        return found != picture.users.end() ? found->second : std::to_string(client.uid());
}

bool passes(const Picture& picture, const Client& client, const std::string& filter) {
        if (filter.empty())
                return true;
        const auto has = [&filter](const std::string& text) {
                return text.find(filter) != text.npos;
        };
        return has(user(picture, client)) ||
               (client.pid() != 0 && (has(client.label()) || has(std::to_string(client.pid()))));
}

/// Most first, or the first of names and processes.
bool comes_before(const Client& a, const Client& b, Sort sort) {
        switch (sort) {
        case Sort::Granted:
                return a.granted() > b.granted();
        case Sort::Uses:
                return a.burning_millicpu() > b.burning_millicpu();
        case Sort::Pid:
                return a.pid() < b.pid();
        case Sort::Label:
                return a.label() < b.label();
        case Sort::Age:
                break;
        }
        return a.age_ms() > b.age_ms();
}

std::vector<std::string> row(const Picture& picture, const Client& client) {
        auto cells = render::client_row(client, user(picture, client));
        for (auto& cell : cells)
                cell = render::printable(cell);
        cells.insert(cells.begin(), std::string(1, letter_of(client.id())));
        return cells;
}

}  // namespace

std::vector<const Client*> chosen(const Picture& picture, const Controls& controls) {
        std::vector<const Client*> programs;
        for (const auto& client : picture.clients.client())
                if (passes(picture, client, controls.filter))
                        programs.push_back(&client);
        std::ranges::stable_sort(programs, [&](const Client* a, const Client* b) {
                return comes_before(*a, *b, controls.sort);
        });
        if (controls.reversed)
                std::ranges::reverse(programs);
        return render::trees_together(programs);
}

std::vector<std::string> program_table(const Picture& picture,
                                       const std::vector<const Client*>& programs) {
        std::vector<std::vector<std::string>> rows;
        rows.reserve(programs.size());
        for (const auto* client : programs)
                rows.push_back(row(picture, *client));
        auto columns = render::client_columns();
        columns.insert(columns.begin(), {" ", render::Align::Left});
        std::istringstream text(render::table(columns, rows));
        std::vector<std::string> lines;
        for (std::string line; std::getline(text, line);)
                lines.push_back(line);
        return lines;
}

}  // namespace ctl::top
