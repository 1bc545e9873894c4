// SPDX-License-Identifier: MIT
// setuid() and what it takes away.
#include "identity.hpp"

#include <cerrno>
#include <csignal>
#include <grp.h>
#include <string>
#include <sys/prctl.h>
#include <system_error>
#include <unistd.h>

namespace bench {

void become(std::optional<uid_t> user) {
        const auto parent = ::getppid();
        if (user && (::setgroups(0, nullptr) < 0 || ::setgid(*user) < 0 || ::setuid(*user) < 0))
                throw std::system_error(errno, std::generic_category(),
                                        "cannot become user " + std::to_string(*user));
        // The kernel forgets this when the user changes, so it comes after.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent)
                ::raise(SIGKILL);
}

}  // namespace bench
