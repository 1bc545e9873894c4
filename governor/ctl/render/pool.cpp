// SPDX-License-Identifier: MIT
// Numbers and their nouns.
#include "render/pool.hpp"

#include <algorithm>
#include <array>

namespace ctl::render {

namespace {

using governor::v1::Client;

std::string counted(std::uint64_t number, const char* one, const char* many) {
        return std::to_string(number) + " " + (number == 1 ? one : many);
}

std::array<std::string, 2> cells(const Client& client) {
        if (!client.has_pool())
                return {"-", "-"};
        const auto& pool = client.pool();
        return {std::to_string(pool.active()) + "/" + std::to_string(pool.lanes()),
                std::to_string(pool.executed())};
}

template <class Row, class Cells>
void insert(Row& row, std::size_t place, const Cells& cells) {
        row.insert(row.begin() + static_cast<std::ptrdiff_t>(place), cells.begin(), cells.end());
}

}  // namespace

std::string pool_in_words(const governor::v1::Pool& pool) {
        return std::to_string(pool.active()) + " of " + counted(pool.lanes(), "lane", "lanes") +
               " active, " + counted(pool.executed(), "task", "tasks") + " executed, " +
               std::to_string(pool.stolen()) + " of them stolen, parked " +
               counted(pool.parked(), "time", "times") + ", woken " +
               counted(pool.woken(), "time", "times");
}

void insert_pools(std::vector<Column>& columns, std::vector<std::vector<std::string>>& rows,
                  std::size_t place, const governor::v1::Clients& clients) {
        const auto has_pool = [](const Client& client) { return client.has_pool(); };
        if (std::ranges::none_of(clients.client(), has_pool))
                return;
        const std::array<Column, 2> titles = {{{"LANES", Align::Right}, {"TASKS", Align::Right}}};
        insert(columns, place, titles);
        for (std::size_t i = 0; i < rows.size(); i++)
                insert(rows[i], place, cells(clients.client(static_cast<int>(i))));
}

}  // namespace ctl::render
