// SPDX-License-Identifier: MIT
// Connects settings, loop, server and signals.
#include "daemon/daemon.hpp"

#include "config/load.hpp"
#include "policy/permyriad.hpp"
#include "server/event_loop.hpp"
#include "server/server.hpp"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <utility>

namespace governor::daemon {

namespace {

enum ExitCode { kOk = 0, kFailed = 1, kWrongConfiguration = 2 };

void follow_log_level(config::LogLevel level) {
        switch (level) {
        case config::LogLevel::Debug:
                return spdlog::set_level(spdlog::level::debug);
        case config::LogLevel::Info:
                return spdlog::set_level(spdlog::level::info);
        case config::LogLevel::Warning:
                return spdlog::set_level(spdlog::level::warn);
        case config::LogLevel::Error:
                return spdlog::set_level(spdlog::level::err);
        }
}

tl::expected<config::Settings, config::Errors> load(const Options& options) {
        return config::load(options.config, !options.config_given);
}

int check(const Options& options, const tl::expected<config::Settings, config::Errors>& settings) {
        if (!settings)
                return kWrongConfiguration;
        std::printf("%s: the configuration is right\n", options.config.c_str());
        return kOk;
}

/// A wrong file changes nothing: the settings in force stay.
void reload(const Options& options, server::Server& server) {
        auto settings = load(options);
        if (!settings) {
                for (const auto& error : settings.error())
                        spdlog::error("{}", error);
                spdlog::error("configuration not reloaded; the old settings stay in force");
                return;
        }
        follow_log_level(settings->log_level);
        server.apply(std::move(*settings));
        spdlog::info("configuration reloaded");
}

}  // namespace

int run(const Options& options) {
        spdlog::set_default_logger(spdlog::stderr_color_mt("governord"));
        spdlog::set_pattern("governord: %^%l%$: %v");
        auto settings = load(options);
        if (!settings)
                for (const auto& error : settings.error())
                        spdlog::error("{}", error);
        if (options.check_config || !settings)
                return check(options, settings);
        follow_log_level(settings->log_level);

        auto listener = server::UnixListener::open(options.socket);
        if (!listener) {
                spdlog::error("{}", listener.error());
                return kFailed;
        }
        server::EventLoop loop;
        const auto period = settings->period;
        const auto threshold = policy::format_percent(settings->threshold.threshold_permyriad);
        server::Server server(loop, std::move(*listener), options.root, std::move(*settings));
        if (!server.can_sample()) {
                const auto& sampler = server.sampler();
                spdlog::error("{}: {}; without it nothing can be governed", sampler.path(),
                              sampler.error() != 0 ? std::strerror(sampler.error())
                                                   : "short or not of the expected form");
                return kFailed;
        }
        const auto stop = [&] { loop.exit(kOk); };
        const auto on_term = loop.on_signal(SIGTERM, stop);
        const auto on_int = loop.on_signal(SIGINT, stop);
        const auto on_hup = loop.on_signal(SIGHUP, [&] { reload(options, server); });
        spdlog::info("listening on {}: {} cpus, policy threshold {}, period {} ms", options.socket,
                     server.sampler().sample().cpus.size(), threshold, period.count());
        const int code = loop.run();
        spdlog::info("stopped");
        return code < 0 ? kFailed : code;
}

}  // namespace governor::daemon
