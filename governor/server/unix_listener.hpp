// SPDX-License-Identifier: MIT
//
// The daemon's socket in the file system.
#pragma once

#include "server/unique_fd.hpp"

#include <string>
#include <tl/expected.hpp>

namespace governor::server {

/// A listening Unix stream socket that every local user may connect to. Removes its path when
/// it goes. A lock file beside it (PATH.lock, stays) keeps two daemons from one path.
class UnixListener {
public:
        /// Makes the socket's directory (mode 0755) if only that is missing. A socket that a
        /// killed daemon has left behind is replaced. The error is one sentence for the user.
        [[nodiscard]] static tl::expected<UnixListener, std::string> open(const std::string& path);

        UnixListener(UnixListener&&) noexcept = default;
        UnixListener& operator=(UnixListener&&) noexcept = default;
        ~UnixListener();

        /// A connected, non-blocking socket, or the errno of accept4().
        [[nodiscard]] tl::expected<UniqueFd, int> accept() const;

        [[nodiscard]] int fd() const { return socket_.get(); }
        [[nodiscard]] const std::string& path() const { return path_; }

private:
        UnixListener(UniqueFd lock, UniqueFd socket, std::string path)
                : lock_(std::move(lock)), socket_(std::move(socket)), path_(std::move(path)) {}

        UniqueFd lock_;
        UniqueFd socket_;
        std::string path_;
};

}  // namespace governor::server
