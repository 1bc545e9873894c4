// SPDX-License-Identifier: MIT
// Settings with their mistakes and their log level.
#include "daemon/configuration.hpp"

#include "server/connections/listener.hpp"
#include "server/journal/log.hpp"

#include <string>
#include <utility>

namespace governor::daemon {

using server::Level;

namespace {

tl::expected<config::Settings, config::Errors> with_command_line(config::Settings settings,
                                                                 const Options& options) {
        if (options.tcp) {
                settings.tcp = options.tcp;
                settings.origins["tcp"] = {"--tcp"};
        }
        if (!settings.tcp)
                return settings;
        if (auto possible = server::check_tcp(*settings.tcp); !possible)
                return tl::unexpected(
                        config::Errors{{settings.origins.at("tcp"), std::move(possible.error())}});
        return settings;
}

}  // namespace

tl::expected<config::Settings, config::Errors> load_configuration(const Options& options) {
        auto settings = config::load(options.config, !options.config_given);
        return settings ? with_command_line(std::move(*settings), options) : settings;
}

tl::expected<config::Settings, config::Errors> fallback(const Options& options) {
        config::Settings settings;
        settings.is_observing = true;
        settings.is_fallback = true;
        settings.origins["mode"] = {"fallback"};
        return with_command_line(std::move(settings), options);
}

std::string summary(const config::Errors& errors) {
        const auto more = errors.size() - 1;
        const auto first = errors.front().text();
        if (more == 0)
                return first;
        return first + " (and " + std::to_string(more) + " more mistake" + (more == 1 ? ")" : "s)");
}

void report(const config::Errors& errors) {
        for (const auto& error : errors)
                server::log(Level::Error, server::Event::ConfigurationRefused, error.text(),
                            {{"CONFIG_FILE", error.origin.file},
                             {"CONFIG_LINE", std::to_string(error.origin.line)}});
}

void follow_log_level(const config::Settings& settings) {
        switch (settings.log_level) {
        case config::LogLevel::Debug:
                return server::set_log_level(Level::Debug);
        case config::LogLevel::Info:
                return server::set_log_level(Level::Info);
        case config::LogLevel::Warning:
                return server::set_log_level(Level::Warning);
        case config::LogLevel::Error:
                return server::set_log_level(Level::Error);
        }
}

}  // namespace governor::daemon
