// SPDX-License-Identifier: MIT
//
// A socket's path that is ours alone.
#pragma once

#include "server/kernel/unique_fd.hpp"

#include <string>
#include <unistd.h>
#include <utility>

namespace governor::server {

/// Removes the path when it goes, and then gives up its lock.
class BoundPath {
public:
        BoundPath(UniqueFd lock, std::string path)
                : lock_(std::move(lock)), path_(std::move(path)) {}
        BoundPath(const BoundPath&) = delete;
        BoundPath& operator=(const BoundPath&) = delete;
        ~BoundPath() { ::unlink(path_.c_str()); }

private:
        UniqueFd lock_;
        std::string path_;
};

}  // namespace governor::server
