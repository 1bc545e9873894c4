// SPDX-License-Identifier: MIT
//
// Something listens on a socket, but no governor: what it does is up to the test.
#pragma once

#include "support/temporary_directory.hpp"

#include <string>

namespace test_support {

class Impostor {
public:
        /// Listens and nothing more: clients can connect and send, as many as `backlog` allows.
        explicit Impostor(int backlog = 16);
        ~Impostor();
        Impostor(const Impostor&) = delete;
        Impostor& operator=(const Impostor&) = delete;

        /// "THREADCOUNT_SOCKET=..."
        [[nodiscard]] std::string environment() const { return "THREADCOUNT_SOCKET=" + path_; }
        [[nodiscard]] int fd() const { return fd_; }

private:
        TemporaryDirectory directory_;
        std::string path_ = directory_.path("socket");
        int fd_ = -1;
};

}  // namespace test_support
