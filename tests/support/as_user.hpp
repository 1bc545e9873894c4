// SPDX-License-Identifier: MIT
//
// Connections that look like another user's: the kernel notes which user calls connect().
#pragma once

#include <stdexcept>
#include <unistd.h>

namespace test_support {

/// Needs root. The process, not only the thread.
class AsUser {
public:
        explicit AsUser(uid_t uid) {
                if (::seteuid(uid) < 0)
                        throw std::runtime_error("seteuid");
        }
        ~AsUser() { (void)!::seteuid(0); }
        AsUser(const AsUser&) = delete;
        AsUser& operator=(const AsUser&) = delete;

        [[nodiscard]] static bool is_possible() { return ::geteuid() == 0; }
};

}  // namespace test_support
