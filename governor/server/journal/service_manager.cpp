// SPDX-License-Identifier: MIT
// One datagram each.
#include "server/journal/service_manager.hpp"

#include "server/journal/printable.hpp"

#include <cstdlib>
#include <systemd/sd-daemon.h>

namespace governor::server {

namespace {

constexpr int kKeepEnvironment = 0;

}  // namespace

bool ServiceManager::is_there() { return std::getenv("NOTIFY_SOCKET") != nullptr; }

void ServiceManager::ready() { sd_notify(kKeepEnvironment, "READY=1"); }

void ServiceManager::reloading() { sd_notify(kKeepEnvironment, "RELOADING=1"); }

void ServiceManager::stopping() { sd_notify(kKeepEnvironment, "STOPPING=1"); }

void ServiceManager::status(const std::string& line) {
        sd_notify(kKeepEnvironment, ("STATUS=" + printable_ascii(line)).c_str());
}

void ServiceManager::alive() { sd_notify(kKeepEnvironment, "WATCHDOG=1"); }

}  // namespace governor::server
