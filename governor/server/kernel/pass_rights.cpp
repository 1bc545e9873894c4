// SPDX-License-Identifier: MIT
// Asks the kernel, if it knows the option.
#include "server/kernel/pass_rights.hpp"

#include <atomic>
#include <cerrno>

namespace governor::server {

bool refuses_descriptors(int socket) {
        static std::atomic<bool> kernel_can_refuse{true};  // until it says that it cannot
        if (!kernel_can_refuse)
                return false;
        int passes = 1;
        socklen_t size = sizeof(passes);
        if (::getsockopt(socket, SOL_SOCKET, kPassRights, &passes, &size) == 0)
                return passes == 0;
        if (errno == ENOPROTOOPT)
                kernel_can_refuse = false;
        return false;
}

}  // namespace governor::server
