// SPDX-License-Identifier: MIT
// The same columns wherever programs are listed.
#include "render/client_row.hpp"

#include "render/columns.hpp"

#include <cstdio>

namespace ctl::render {

namespace {

std::string cpus_in_use(const governor::v1::Client& client) {
        char text[24];
        std::snprintf(text, sizeof(text), "%.1f", client.burning_millicpu() / 1000.0);
        return text;
}

}  // namespace

std::vector<Column> client_columns() {
        using enum Align;
        return {{"PID", Right},  {"USER", Left}, {"LABEL", Left}, {"GRANTED", Right},
                {"USES", Right}, {"CPUS", Left}, {"REASON", Left}};
}

std::vector<std::string> client_row(const governor::v1::Client& client, const std::string& user) {
        const bool is_hidden = client.pid() == 0;
        return {is_hidden ? "-" : std::to_string(client.pid()),
                user,
                is_hidden ? "-" : cut(client.label(), kLabelWidth),
                std::to_string(client.granted()),
                cpus_in_use(client),
                client.cpus() + (client.shared() ? " shared" : ""),
                client.reason()};
}

}  // namespace ctl::render
