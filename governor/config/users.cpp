// SPDX-License-Identifier: MIT
// What getpwnam says, in words.
#include "config/users.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <pwd.h>

namespace governor::config {

tl::expected<std::uint32_t, std::string> find_user(const std::string& name) {
        errno = 0;
        if (const auto* user = ::getpwnam(name.c_str()); user != nullptr)
                return user->pw_uid;
        // A missing name gives one of these, depending on where users are kept: getpwnam(3).
        constexpr std::array kNoSuchUser{0, ENOENT, ESRCH, EBADF, EPERM};
        if (std::ranges::find(kNoSuchUser, errno) != kNoSuchUser.end())
                return tl::unexpected(std::string("no such user"));
        return tl::unexpected(std::string("users cannot be looked up: ") + std::strerror(errno));
}

}  // namespace governor::config
