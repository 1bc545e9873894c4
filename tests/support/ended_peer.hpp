// SPDX-License-Identifier: MIT
//
// A connection whose other end was made by a process that has ended since.
#pragma once

#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace test_support {

class EndedPeer {
public:
        /// Throws if there is no such connection to be had.
        EndedPeer() {
                sockaddr_un address{};
                address.sun_family = AF_UNIX;  // and no name: the kernel gives one
                const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
                socklen_t size = sizeof(sa_family_t);
                (void)::bind(listener, reinterpret_cast<sockaddr*>(&address), size);
                (void)::listen(listener, 1);
                size = sizeof(address);
                ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
                pid_ = ::fork();
                if (pid_ == 0) {
                        const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
                        ::_exit(::connect(fd, reinterpret_cast<sockaddr*>(&address), size));
                }
                int status = -1;
                ::waitpid(pid_, &status, 0);
                connection_ = ::accept(listener, nullptr, nullptr);
                ::close(listener);
                if (status != 0 || connection_ < 0)
                        throw std::runtime_error("no connection of a process that has ended");
        }
        ~EndedPeer() { ::close(connection_); }
        EndedPeer(const EndedPeer&) = delete;
        EndedPeer& operator=(const EndedPeer&) = delete;

        [[nodiscard]] int connection() const { return connection_; }
        [[nodiscard]] pid_t pid() const { return pid_; }

private:
        int connection_ = -1;
        pid_t pid_ = -1;
};

}  // namespace test_support
