// SPDX-License-Identifier: MIT
//
// Plays systemd's part for a daemon: hands it listening sockets and hears what it notifies.
#pragma once

#include "support/process.hpp"
#include "support/temporary_directory.hpp"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace test_support {

class ServiceManager {
public:
        ServiceManager();
        ~ServiceManager();
        ServiceManager(const ServiceManager&) = delete;
        ServiceManager& operator=(const ServiceManager&) = delete;

        /// The Unix socket that listens from now on, whether a daemon is there or not.
        [[nodiscard]] const std::string& socket() const { return socket_; }

        /// Starts a command line with `fds` as $LISTEN_FDS (the socket if not said otherwise).
        void start(const std::vector<std::string>& command);
        void start(const std::vector<std::string>& command, const std::vector<int>& fds);
        [[nodiscard]] Process& process() { return *process_; }

        /// The lines that have come and were not asked for yet: "READY=1", "STATUS=...", one per
        /// line sent.
        std::deque<std::string> hear();
        /// True if `line` (its start) comes within the patience; what comes before it is dropped.
        [[nodiscard]] bool hears(const std::string& line);

private:
        void listen();

        TemporaryDirectory directory_;
        std::string socket_ = directory_.path("activated.sock");
        std::string notify_ = directory_.path("notify.sock");
        int listening_ = -1;
        int notified_ = -1;
        std::deque<std::string> heard_;
        std::unique_ptr<Process> process_;
};

}  // namespace test_support
