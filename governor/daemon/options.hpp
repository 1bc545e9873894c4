// SPDX-License-Identifier: MIT
//
// The command line of governord.
#pragma once

#include <string>
#include <variant>

namespace governor::daemon {

struct Options {
        std::string root;  ///< proc and sys are below it; empty: this machine
        std::string socket;
        std::string config = "/etc/governord.conf";
        bool config_given = false;  ///< then it must exist
        bool check_config = false;
};

/// Prints help, version or one error by itself; then the result is the exit code to end with.
[[nodiscard]] std::variant<Options, int> parse_options(int argc, char** argv);

}  // namespace governor::daemon
