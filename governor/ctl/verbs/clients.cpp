// SPDX-License-Identifier: MIT
// governorctl clients: who shares the machine, and what each has.
#include "render/client_row.hpp"
#include "render/pool.hpp"
#include "verbs/ask.hpp"
#include "verbs/client_json.hpp"
#include "verbs/client_list.hpp"
#include "verbs/verbs.hpp"

namespace ctl::verbs {

namespace {

using governor::v1::Client;
using governor::v1::Clients;

/// "; max 4, paused by root"
std::string orders(const Client& client) {
        std::string text;
        for (const auto& ordered : client.ordered()) {
                text += ";";
                const auto add = [&text](const std::string& what) {
                        text += (text.ends_with(';') ? " " : ", ") + what;
                };
                if (ordered.has_max())
                        add("max " + std::to_string(ordered.max()));
                if (ordered.has_weight())
                        add("weight " + std::to_string(ordered.weight()));
                if (ordered.has_scheduling_class())
                        add(ordered.scheduling_class() == governor::v1::BATCH
                                    ? "class batch"
                                    : "class interactive");
                if (ordered.paused())
                        add("paused");
                text += " by " + user_name(ordered.uid());
        }
        return text;
}

std::string as_table(const Clients& clients) {
        std::vector<std::vector<std::string>> rows;
        for (const auto& client : clients.client()) {
                rows.push_back(render::client_row(client, user_name(client.uid())));
                rows.back().back() += orders(client);
        }
        auto columns = render::client_columns();
        // The reason, which may be long, stays the last.
        render::insert_pools(columns, rows, columns.size() - 1, clients);
        return render::table(columns, rows);
}

}  // namespace

ExitCode clients(const Common& common) {
        auto connection = Connection::open(addresses(common.socket));
        if (!connection)
                return complain(connection.error());
        const auto all = all_clients(*connection);
        if (!all)
                return complain(all.error());
        if (all->client_size() > 0)
                note_if_left_alone(*connection, "this is what they would have");
        return print(common.json ? clients_json(*all).dump() + "\n" : as_table(*all));
}

}  // namespace ctl::verbs
