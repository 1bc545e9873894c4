// SPDX-License-Identifier: MIT
//
// The daemon's work, wired to an event loop: samples, connections, answers.
#pragma once

#include "config/settings.hpp"
#include "server/answers.hpp"
#include "server/connection.hpp"
#include "server/event_loop.hpp"
#include "server/sampling.hpp"
#include "server/throttle.hpp"
#include "server/unix_listener.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace governor::server {

class Server {
public:
        /// `loop` must outlive this.
        Server(EventLoop& loop, UnixListener listener, const std::string& root,
               config::Settings settings);

        /// False if /proc/stat was not usable; nothing can be governed then.
        [[nodiscard]] bool can_sample() const { return sampling_.has_sample(); }
        [[nodiscard]] const probe::Sampler& sampler() const { return sampling_.sampler(); }

        /// Takes effect at once; connections stay.
        void apply(config::Settings settings);

private:
        struct Client {
                Connection connection;
                EventSource source;
        };

        void warn_if_nothing_is_governed() const;
        void accept_clients();
        void add_client(UniqueFd fd);
        void pause_accepting(int error);
        void serve(int fd);
        void drop(int fd, Connection::State state);
        [[nodiscard]] std::optional<std::string> handle(std::string_view message);
        [[nodiscard]] View view() const;

        EventLoop& loop_;
        config::Settings settings_;
        TimePoint started_;
        Sampling sampling_;
        UnixListener listener_;
        std::unordered_map<int, Client> clients_;  // by descriptor
        std::uint64_t queries_ = 0;
        std::uint64_t bad_messages_ = 0;
        Throttle bad_message_log_;
        Throttle accept_log_;
        EventSource listening_;
        EventSource accept_again_;  // armed while there are no descriptors left
};

}  // namespace governor::server
