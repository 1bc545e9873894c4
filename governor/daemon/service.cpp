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

tl::expected<void, std::string> Service::start(const config::Settings& settings,
                                               const std::string& refused) {
        auto result = check_sampling();
        if (result)
                result = apply(settings, refused);
        if (result)
                result = open_sockets();
        if (!result)
                return result;
        const auto cpus = server_.sampling().sampler().sample().cpus.size();
        const auto& in_force = server_.settings();
        log(Level::Info, Event::Started,
            "started: " + std::to_string(cpus) + " cpus, policy " +
                    server::policy_in_force(in_force) + ", period " +
                    std::to_string(in_force.period.count()) + " ms");
        return {};
}

/// A port that is in use is a mistake in the files, unless the command line asks for it.
tl::expected<void, std::string> Service::apply(const config::Settings& settings,
                                               const std::string& refused) {
        auto applied = server_.apply(settings);
        if (applied && !refused.empty())
                fell_back(refused);
        if (applied || options_.tcp)
                return applied;
        log(Level::Error, Event::ConfigurationRefused, applied.error());
        const auto defaults = fallback(options_);
        if (!defaults || !server_.apply(*defaults))
                return applied;
        fell_back(applied.error());
        return {};
}

/// Without a governor every program would take the whole machine again, and a service that ends at
/// each start loses its socket.
void Service::fell_back(const std::string& why) {
        server_.configuration_refused(why);
        log(Level::Warning, Event::ConfigurationRefused,
            "the configuration is wrong: until a reload succeeds the built-in defaults are in "
            "force, and programs are left alone (mode = observe)");
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
        const auto& refused = server_.configuration_error();
        if (refused.empty())
                return server_.summary();
        return server_.summary() +
               (server_.settings().is_fallback
                        ? "; configuration refused, programs are left alone: "
                        : "; configuration not reloaded: ") +
               refused;
}

/// A wrong file changes nothing: the settings in force stay.
void Service::reload() {
        ServiceManager::reloading();
        auto settings = load_configuration(options_);
        if (!settings) {
                report(settings.error());
                refuse(summary(settings.error()));
        } else if (auto applied = server_.apply(*settings); !applied) {
                log(Level::Error, Event::ConfigurationRefused, applied.error());
                refuse(applied.error());
        } else {
                follow_log_level(*settings);
                log(Level::Info, Event::Reloaded, "configuration reloaded");
        }
        liveness_.tell_status();
        ServiceManager::ready();
}

void Service::refuse(const std::string& why) {
        log(Level::Error, Event::ConfigurationRefused,
            "configuration not reloaded; the old settings stay in force");
        server_.configuration_refused(why);
}

void Service::stop() {
        ServiceManager::stopping();
        server_.release_all();
        loop_.exit(0);
}

}  // namespace governor::daemon
