// SPDX-License-Identifier: MIT
// Three questions on one connection.
#include "top/feed.hpp"

#include "verbs/client_list.hpp"
#include "verbs/cpu_list.hpp"

#include <utility>

namespace ctl::top {

using std::chrono::steady_clock;

namespace {

constexpr std::chrono::seconds kPatience{1};

}  // namespace

const Picture& Feed::next() {
        const bool was_connected = connection_.has_value();
        const auto asked = steady_clock::now();
        auto picture = take();
        // It broke: there may be another governor by now. One that hangs is not asked twice.
        if (!picture && was_connected && steady_clock::now() - asked < kPatience) {
                connection_.reset();
                picture = take();
        }
        if (picture) {
                failure_.reset();
                taken_ = steady_clock::now();
                picture_ = std::move(*picture);
                return picture_;
        }
        connection_.reset();
        failure_ = std::move(picture.error());
        picture_.trouble = failure_->message;
        picture_.age_s = static_cast<std::uint64_t>(
                std::chrono::duration_cast<std::chrono::seconds>(steady_clock::now() - taken_)
                        .count());
        return picture_;
}

tl::expected<Picture, Failure> Feed::take() {
        if (!connection_) {
                auto connection = Connection::open(addresses(socket_));
                if (!connection)
                        return tl::unexpected(std::move(connection.error()));
                connection_.emplace(std::move(*connection));
        }
        governor::v1::Request request;
        request.mutable_status();
        auto status = connection_->call(request, governor::v1::Reply::kStatus);
        if (!status)
                return tl::unexpected(std::move(status.error()));
        auto clients = verbs::all_clients(*connection_);
        if (!clients)
                return tl::unexpected(std::move(clients.error()));
        auto cpus = verbs::all_cpus(*connection_);
        if (!cpus)
                return tl::unexpected(std::move(cpus.error()));
        Picture picture;
        picture.was_reached = true;
        picture.status = std::move(*status->mutable_status());
        picture.clients = std::move(*clients);
        picture.cpus = std::move(*cpus);
        for (const auto& client : picture.clients.client())
                if (!picture.users.contains(client.uid()))
                        picture.users[client.uid()] = verbs::user_name(client.uid());
        return picture;
}

}  // namespace ctl::top
