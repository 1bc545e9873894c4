// SPDX-License-Identifier: MIT
//
// A server in its loop, and what may happen to it from outside: signals and the service manager.
#pragma once

#include "config/settings.hpp"
#include "daemon/options.hpp"
#include "server/journal/liveness.hpp"
#include "server/kernel/event_loop.hpp"
#include "server/server.hpp"

#include <cstddef>
#include <string>
#include <tl/expected.hpp>

namespace governor::daemon {

class Service {
public:
        /// From here on signals wait for serve(). `most`: connections.
        Service(const Options& options, std::size_t most);

        /// Samples, and opens the sockets: those that systemd has given us or else the default
        /// path, and those that were asked for. The error is one sentence. `refused`: why
        /// `settings` are fallback()'s; empty: they are not.
        [[nodiscard]] tl::expected<void, std::string> start(const config::Settings& settings,
                                                            const std::string& refused);

        /// Returns after SIGTERM or SIGINT: 0; or a negative errno.
        [[nodiscard]] int serve();

private:
        [[nodiscard]] tl::expected<void, std::string> check_sampling() const;
        [[nodiscard]] tl::expected<void, std::string> open_sockets();
        [[nodiscard]] tl::expected<void, std::string> apply(const config::Settings& settings,
                                                            const std::string& refused);
        void fell_back(const std::string& why);
        [[nodiscard]] std::string status() const;
        void reload();
        void refuse(const std::string& why);
        void stop();

        Options options_;
        server::EventLoop loop_;
        server::EventSource on_term_;
        server::EventSource on_int_;
        server::EventSource on_hup_;
        server::Server server_;
        server::Liveness liveness_;
};

}  // namespace governor::daemon
