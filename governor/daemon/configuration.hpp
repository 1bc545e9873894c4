// SPDX-License-Identifier: MIT
//
// Files and command line make the settings.
#pragma once

#include "config/load.hpp"
#include "daemon/options.hpp"

#include <string>
#include <tl/expected.hpp>

namespace governor::daemon {

/// The command line wins over the files. A setting that can never be done here is a mistake too:
/// TCP in a sandbox without network.
[[nodiscard]] tl::expected<config::Settings, config::Errors>
load_configuration(const Options& options);

/// The settings in force where the files are wrong when the daemon starts. These are the built-in
/// defaults and the command line, and no program is held to anything (mode = observe). The error is
/// a mistake in the command line.
[[nodiscard]] tl::expected<config::Settings, config::Errors> fallback(const Options& options);

/// The first of them, and how many there are besides. `errors` is not empty.
[[nodiscard]] std::string summary(const config::Errors& errors);

/// Logs every mistake.
void report(const config::Errors& errors);

void follow_log_level(const config::Settings& settings);

}  // namespace governor::daemon
