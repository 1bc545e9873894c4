// SPDX-License-Identifier: MIT
//
// One run of the daemon: start, signals, stop.
#pragma once

#include "daemon/options.hpp"

namespace governor::daemon {

/// Returns the exit code: 0 stopped as asked, 1 could not start, 2 wrong usage, or a configuration
/// that was to be checked is wrong. Errors are logged.
[[nodiscard]] int run(const Options& options);

}  // namespace governor::daemon
