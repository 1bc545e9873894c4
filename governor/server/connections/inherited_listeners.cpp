// SPDX-License-Identifier: MIT
// Socket activation.
#include "server/connections/listener.hpp"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>

namespace governor::server {

tl::expected<std::vector<Listener>, std::string> inherited_listeners() {
        constexpr int kForgetThem = 1;  // children would not be meant
        const int count = sd_listen_fds(kForgetThem);
        if (count < 0)
                return tl::unexpected(std::string("sockets of the socket unit: ") +
                                      std::strerror(-count));
        std::vector<Listener> listeners;
        for (int n = 0; n < count; n++) {
                UniqueFd fd(SD_LISTEN_FDS_START + n);
                if (sd_is_socket(fd.get(), AF_UNSPEC, SOCK_STREAM, 1) <= 0)
                        return tl::unexpected(
                                "descriptor " + std::to_string(fd.get()) +
                                " of the socket unit is no listening stream socket; it takes "
                                "ListenStream= with Accept=no only");
                listeners.emplace_back(std::move(fd));
        }
        return listeners;
}

}  // namespace governor::server
