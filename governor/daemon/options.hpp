// SPDX-License-Identifier: MIT
//
// The command line of governord.
#pragma once

#include "config/tcp_address.hpp"

#include <optional>
#include <string>
#include <variant>

namespace governor::daemon {

struct Options {
        std::string root;    ///< proc and sys are below it; empty: this machine
        std::string socket;  ///< empty: the default, unless sockets are inherited
        std::optional<config::TcpAddress> tcp;       ///< wins over the configuration
        std::string config = "/etc/governord.conf";  ///< absolute
        bool config_given = false;                   ///< then it must exist
        bool check_config = false;
};

/// The system's path for root, else the user's own.
[[nodiscard]] std::string default_socket();

/// Prints help, version or one error by itself; then the result is the exit code to end with.
[[nodiscard]] std::variant<Options, int> parse_options(int argc, char** argv);

}  // namespace governor::daemon
