// SPDX-License-Identifier: MIT
//
// The door to systemd, see sd_notify(3). Without systemd nothing happens.
#pragma once

#include <string>

namespace governor::server {

class ServiceManager {
public:
        /// Somebody listens ($NOTIFY_SOCKET).
        [[nodiscard]] static bool is_there();

        static void ready();
        static void reloading();  ///< until ready()
        static void stopping();
        static void status(const std::string& line);
        static void alive();  ///< keeps the watchdog from biting (WatchdogSec=)
};

}  // namespace governor::server
