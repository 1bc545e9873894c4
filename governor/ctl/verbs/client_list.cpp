// SPDX-License-Identifier: MIT
// Pages put together.
#include "verbs/client_list.hpp"

#include "render/client_row.hpp"
#include "verbs/ask.hpp"

#include <charconv>
#include <pwd.h>
#include <string_view>
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

std::string with_user_names(const std::string& text,
                            const std::function<std::string(std::uint32_t)>& name) {
        constexpr std::string_view kUser = "user ";
        std::string named;
        std::size_t done = 0;
        for (auto at = text.find(kUser); at != text.npos; at = text.find(kUser, at)) {
                at += kUser.size();
                std::uint32_t uid = 0;
                const auto [end, error] =
                        std::from_chars(text.data() + at, text.data() + text.size(), uid);
                if (error != std::errc{} || uid == 0)  // which the governor calls root
                        continue;
                named += text.substr(done, at - done) + name(uid);
                done = static_cast<std::size_t>(end - text.data());
        }
        return named + text.substr(done);
}

std::string name_of(const Client& client) {
        if (client.pid() == 0)
                return "(" + user_name(client.uid()) + ")";
        return client.label().empty() ? std::to_string(client.pid()) : client.label();
}

}  // namespace ctl::verbs
