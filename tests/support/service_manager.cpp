// SPDX-License-Identifier: MIT
// sd_listen_fds(3) and sd_notify(3) from the other side.
#include "support/service_manager.hpp"

#include <array>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace test_support {

namespace {

int bound_socket(int type, const std::string& path) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
        const int fd = ::socket(AF_UNIX, type, 0);
        if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) < 0)
                throw std::runtime_error("cannot bind " + path);
        return fd;
}

}  // namespace

ServiceManager::ServiceManager()
        : listening_(bound_socket(SOCK_STREAM, socket_)),
          notified_(bound_socket(SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, notify_)) {
        if (::listen(listening_, 16) < 0)
                throw std::runtime_error("cannot listen on " + socket_);
}

ServiceManager::~ServiceManager() {
        ::close(listening_);
        ::close(notified_);
}

void ServiceManager::start(const std::vector<std::string>& command) {
        start(command, {listening_});
}

/// A shell knows its own pid, which $LISTEN_PID must be; bash, for descriptors above 9.
void ServiceManager::start(const std::vector<std::string>& command, const std::vector<int>& fds) {
        std::string script = "export LISTEN_PID=$$ LISTEN_FDS=" + std::to_string(fds.size());
        for (std::size_t n = 0; n < fds.size(); n++)  // first out of the way of each other
                script += "; exec " + std::to_string(100 + n) + "<&" + std::to_string(fds[n]);
        for (std::size_t n = 0; n < fds.size(); n++)
                script += "; exec " + std::to_string(3 + n) + "<&" + std::to_string(100 + n) + "-";
        Command shell{{"/bin/bash", "-c", script + "; exec \"$@\"", "bash"},
                      {"NOTIFY_SOCKET=" + notify_},
                      {}};
        shell.arguments.insert(shell.arguments.end(), command.begin(), command.end());
        process_ = std::make_unique<Process>(shell);
}

void ServiceManager::listen() {
        std::array<char, 4096> datagram;
        for (;;) {
                const auto n = ::recv(notified_, datagram.data(), datagram.size(), 0);
                if (n <= 0)
                        return;
                std::istringstream text(std::string(datagram.data(), static_cast<std::size_t>(n)));
                for (std::string line; std::getline(text, line);)
                        heard_.push_back(line);
        }
}

std::deque<std::string> ServiceManager::hear() {
        listen();
        return std::exchange(heard_, {});
}

bool ServiceManager::hears(const std::string& line) {
        return eventually([&] {
                listen();
                while (!heard_.empty()) {
                        const bool found = heard_.front().starts_with(line);
                        heard_.pop_front();
                        if (found)
                                return true;
                }
                return false;
        });
}

}  // namespace test_support
