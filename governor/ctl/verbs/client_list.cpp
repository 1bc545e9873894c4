// SPDX-License-Identifier: MIT
// Pages put together.
#include "verbs/client_list.hpp"

#include "render/client_row.hpp"
#include "verbs/ask.hpp"

#include <pwd.h>
#include <vector>

namespace ctl::verbs {

using governor::v1::Client;
using governor::v1::Clients;
using governor::v1::Reply;
using governor::v1::Request;

tl::expected<Clients, Failure> all_clients(Connection& connection) {
        Clients all;
        Request first;
        first.mutable_clients();
        const auto asked = ask_pages(
                connection, first, Reply::kClients, [&](const Reply& reply, Request& request) {
                        const auto& page = reply.clients();
                        all.mutable_client()->MergeFrom(page.client());
                        if (page.client_size() > 0)
                                request.mutable_clients()->set_after(
                                        page.client(page.client_size() - 1).id());
                        return page.more() && page.client_size() > 0;
                });
        if (!asked)
                return tl::unexpected(asked.error());
        std::vector<const Client*> listed;
        for (const auto& client : all.client())
                listed.push_back(&client);
        Clients ordered;
        for (const auto* client : render::trees_together(listed))
                *ordered.add_client() = *client;
        return ordered;
}

std::string user_name(std::uint32_t uid) {
        const auto* user = ::getpwuid(uid);
        return user != nullptr ? user->pw_name : std::to_string(uid);
}

std::string name_of(const Client& client) {
        if (client.pid() == 0)
                return "(" + user_name(client.uid()) + ")";
        return client.label().empty() ? std::to_string(client.pid()) : client.label();
}

}  // namespace ctl::verbs
