// SPDX-License-Identifier: MIT
// A bare listening socket.
#include "support/impostor.hpp"

#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace test_support {

Impostor::Impostor(int backlog) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path_.copy(address.sun_path, sizeof(address.sun_path) - 1);
        if (::bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) < 0 ||
            ::listen(fd_, backlog) < 0)
                throw std::runtime_error("cannot listen at " + path_);
}

Impostor::~Impostor() { ::close(fd_); }

}  // namespace test_support
