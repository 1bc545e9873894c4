// SPDX-License-Identifier: MIT
// The same columns wherever programs are listed.
#include "render/client_row.hpp"

#include "render/columns.hpp"

#include <cstdint>
#include <cstdio>
#include <map>

namespace ctl::render {

namespace {

std::string cpus_in_use(const governor::v1::Client& client) {
        char text[24];
        std::snprintf(text, sizeof(text), "%.1f", client.burning_millicpu() / 1000.0);
        return text;
}

bool holds_tree(const governor::v1::Client& client) {
        return client.tree() > 0 && client.tree() == client.id();
}

/// "; tree, 5 processes; nice 19"
std::string tree(const governor::v1::Client& client) {
        if (!holds_tree(client))
                return {};
        return "; tree, " + std::to_string(client.processes()) +
               (client.processes() == 1 ? " process" : " processes") +
               (client.acts().empty() ? "" : "; " + client.acts());
}

}  // namespace

std::vector<Column> client_columns() {
        using enum Align;
        return {{"PID", Right},  {"USER", Left}, {"LABEL", Left}, {"GRANTED", Right},
                {"USES", Right}, {"CPUS", Left}, {"REASON", Left}};
}

std::vector<std::string> client_row(const governor::v1::Client& client, const std::string& user) {
        const bool is_hidden = client.pid() == 0;
        const std::string indent = client.tree() > 0 && !holds_tree(client) ? "  " : "";
        return {is_hidden ? "-" : std::to_string(client.pid()),
                user,
                indent + (is_hidden ? "-" : cut(client.label(), kLabelWidth - indent.size())),
                std::to_string(client.granted()),
                cpus_in_use(client),
                client.cpus() + (client.shared() ? " shared" : ""),
                client.reason() + tree(client)};
}

std::vector<const governor::v1::Client*>
trees_together(const std::vector<const governor::v1::Client*>& clients) {
        std::map<std::uint64_t, std::vector<const governor::v1::Client*>> members;
        for (const auto* client : clients)
                if (holds_tree(*client))
                        members[client->id()];
        for (const auto* client : clients)
                if (const auto found = members.find(client->tree());
                    found != members.end() && !holds_tree(*client))
                        found->second.push_back(client);
        std::vector<const governor::v1::Client*> together;
        for (const auto* client : clients) {
                if (holds_tree(*client) || !members.contains(client->tree()))
                        together.push_back(client);
                if (holds_tree(*client))
                        together.insert(together.end(), members[client->id()].begin(),
                                        members[client->id()].end());
        }
        return together;
}

}  // namespace ctl::render
