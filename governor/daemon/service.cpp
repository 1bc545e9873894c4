// SPDX-License-Identifier: MIT
// Start, reload, stop.
#include "daemon/service.hpp"

#include "daemon/configuration.hpp"
#include "server/connections/listener.hpp"
#include "server/journal/log.hpp"
#include "server/journal/service_manager.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

namespace governor::daemon {

using server::Event;
using server::Level;
using server::log;
using server::ServiceManager;

namespace {

// A host that boots has its users within seconds. Each look may wait for a network.
constexpr std::chrono::seconds kFirstRetry{1};
constexpr std::chrono::seconds kLongestRetry{60};

}  // namespace

Service::Service(const Options& options, std::size_t most)
        : options_(options), on_term_(loop_.on_signal(SIGTERM, [this] { stop(); })),
          on_int_(loop_.on_signal(SIGINT, [this] { stop(); })),
          on_hup_(loop_.on_signal(SIGHUP, [this] { reload(); })),
          on_retry_(loop_.on_time(server::TimePoint::max(), [this] { look_up_users_again(); })),
          retry_after_(kFirstRetry), server_(loop_, options.root, most),
          liveness_(
                  loop_, [this] { return server_.sampling().is_fresh(); },
                  [this] { return status(); }) {}

tl::expected<void, std::string> Service::start(const config::Settings& settings,
                                               const config::Errors& mistakes) {
        auto result = check_sampling();
        if (result)
                result = apply(settings, mistakes);
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
                                               const config::Errors& mistakes) {
        auto applied = server_.apply(settings);
        if (applied && !mistakes.empty()) {
                fell_back(summary(mistakes));
                if (may_pass(mistakes))
                        look_up_users_later();
        }
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

void Service::reload() {
        ServiceManager::reloading();
        take(load_configuration(options_), "configuration reloaded");
        liveness_.tell_status();
        ServiceManager::ready();
}

/// A wrong file changes nothing: the settings in force stay.
void Service::take(const Loaded& settings, const std::string& success) {
        on_retry_.set_time(server::TimePoint::max());
        if (!settings) {
                report(settings.error());
                refuse(summary(settings.error()));
                if (server_.settings().is_fallback && may_pass(settings.error()))
                        look_up_users_later();
        } else if (auto applied = server_.apply(*settings); !applied) {
                log(Level::Error, Event::ConfigurationRefused, applied.error());
                refuse(applied.error());
        } else {
                follow_log_level(*settings);
                log(Level::Info, Event::Reloaded, success);
        }
}

/// Where users are kept elsewhere, as with LDAP, the daemon may be up before they are known.
void Service::look_up_users_later() {
        log(Level::Info, Event::ConfigurationRefused,
            "the users are looked up again, at the latest each minute, until all are known");
        retry_after_ = kFirstRetry;
        on_retry_.set_time(loop_.now() + retry_after_);
}

void Service::look_up_users_again() {
        const auto settings = load_configuration(options_);
        if (!settings && may_pass(settings.error())) {
                retry_after_ = std::min(2 * retry_after_, kLongestRetry);
                on_retry_.set_time(loop_.now() + retry_after_);
                return;
        }
        take(settings, "all users of the configuration are known now, and it is in force");
        liveness_.tell_status();
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
