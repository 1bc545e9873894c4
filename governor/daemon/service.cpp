// SPDX-License-Identifier: MIT
// Start, reload, stop.
#include "daemon/service.hpp"

#include "daemon/configuration.hpp"
#include "server/connections/listener.hpp"
#include "server/journal/log.hpp"
#include "server/journal/service_manager.hpp"

#include <csignal>
#include <cstring>
#include <utility>

namespace governor::daemon {

using server::Event;
using server::Level;
using server::log;
using server::ServiceManager;

Service::Service(const Options& options, std::size_t most)
        : options_(options), on_term_(loop_.on_signal(SIGTERM, [this] { stop(); })),
          on_int_(loop_.on_signal(SIGINT, [this] { stop(); })),
          on_hup_(loop_.on_signal(SIGHUP, [this] { reload(); })),
          server_(loop_, options.root, most),
          liveness_(
                  loop_, [this] { return server_.sampling().is_fresh(); },
                  [this] { return status(); }) {}

tl::expected<void, std::string> Service::start(config::Settings settings) {
        const auto period = settings.period;
        const auto policy = server::policy_in_force(settings);
        auto result = check_sampling();
        if (result)
                result = server_.apply(std::move(settings));
        if (result)
                result = open_sockets();
        if (!result)
                return result;
        const auto cpus = server_.sampling().sampler().sample().cpus.size();
        log(Level::Info, Event::Started,
            "started: " + std::to_string(cpus) + " cpus, policy " + policy + ", period " +
                    std::to_string(period.count()) + " ms");
        return {};
}

tl::expected<void, std::string> Service::check_sampling() const {
        if (server_.can_sample())
                return {};
        const auto& sampler = server_.sampling().sampler();
        const std::string why = sampler.error() != 0 ? std::strerror(sampler.error())
                                                     : "short or not of the expected form";
        return tl::unexpected(sampler.path() + ": " + why + "; without it nothing can be governed");
}

tl::expected<void, std::string> Service::open_sockets() {
        auto inherited = server::inherited_listeners();
        if (!inherited)
                return tl::unexpected(std::move(inherited.error()));
        for (auto& listener : *inherited)
                server_.open(std::move(listener));
        if (options_.socket.empty() && !inherited->empty())
                return {};
        auto listener =
                server::listen_unix(options_.socket.empty() ? default_socket() : options_.socket);
        if (!listener)
                return tl::unexpected(std::move(listener.error()));
        server_.open(std::move(*listener));
        return {};
}

int Service::serve() {
        ServiceManager::ready();
        return loop_.run();
}

std::string Service::status() const {
        return server_.summary() +
               (refused_.empty() ? "" : "; configuration not reloaded: " + refused_);
}

/// A wrong file changes nothing: the settings in force stay.
void Service::reload() {
        ServiceManager::reloading();
        auto settings = load_configuration(options_);
        if (!settings) {
                report(settings.error());
                refuse(settings.error().front().text());
        } else if (auto applied = server_.apply(*settings); !applied) {
                log(Level::Error, Event::ConfigurationRefused, applied.error());
                refuse(applied.error());
        } else {
                follow_log_level(*settings);
                refused_.clear();
                log(Level::Info, Event::Reloaded, "configuration reloaded");
        }
        liveness_.tell_status();
        ServiceManager::ready();
}

void Service::refuse(const std::string& why) {
        log(Level::Error, Event::ConfigurationRefused,
            "configuration not reloaded; the old settings stay in force");
        refused_ = why;
}

void Service::stop() {
        ServiceManager::stopping();
        server_.release_all();
        loop_.exit(0);
}

}  // namespace governor::daemon
