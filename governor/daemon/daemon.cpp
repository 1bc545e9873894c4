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
#include <optional>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
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

/// One descriptor per client: take what the kernel allows.
void raise_descriptor_limit() {
        rlimit limit{};
        if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
                limit.rlim_cur = limit.rlim_max;
                ::setrlimit(RLIMIT_NOFILE, &limit);
        }
}

tl::expected<config::Settings, config::Errors> load(const Options& options) {
        return config::load(options.config, !options.config_given);
}

int check(const Options& options, const tl::expected<config::Settings, config::Errors>& settings) {
        if (!settings)
                return kWrongConfiguration;
        if (settings->origins.empty())
                std::printf("%s: nothing is set, all defaults\n", options.config.c_str());
        else
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
        std::signal(SIGPIPE, SIG_IGN);  // a log reader that went must not end us
        raise_descriptor_limit();
        spdlog::set_default_logger(spdlog::stderr_color_mt("governord"));
        spdlog::set_pattern("governord: %^%l%$: %v");
        auto settings = load(options);
        if (!settings)
                for (const auto& error : settings.error())
                        spdlog::error("{}", error);
        if (options.check_config || !settings)
                return check(options, settings);
        follow_log_level(settings->log_level);

        // From before the socket is there: who sees it may send signals.
        server::EventLoop loop;
        std::optional<server::Server> server;
        const auto stop = [&] { loop.exit(kOk); };
        const auto on_term = loop.on_signal(SIGTERM, stop);
        const auto on_int = loop.on_signal(SIGINT, stop);
        const auto on_hup = loop.on_signal(SIGHUP, [&] { reload(options, *server); });

        auto listener = server::UnixListener::open(options.socket);
        if (!listener) {
                spdlog::error("{}", listener.error());
                return kFailed;
        }
        const auto period = settings->period;
        const auto threshold = policy::format_percent(settings->threshold.threshold_permyriad);
        server.emplace(loop, std::move(*listener), options.root, std::move(*settings));
        const auto& sampler = server->sampler();
        if (!server->can_sample()) {
                spdlog::error("{}: {}; without it nothing can be governed", sampler.path(),
                              sampler.error() != 0 ? std::strerror(sampler.error())
                                                   : "short or not of the expected form");
                return kFailed;
        }
        spdlog::info("listening on {}: {} cpus, policy threshold {}, period {} ms", options.socket,
                     sampler.sample().cpus.size(), threshold, period.count());
        const int code = loop.run();
        spdlog::info("stopped");
        return code < 0 ? kFailed : code;
}

}  // namespace governor::daemon
