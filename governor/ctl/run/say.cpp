// SPDX-License-Identifier: MIT
// poll(2) before write(2): others have the same pipe, which stays one that waits.
#include "run/say.hpp"

#include "own_name.hpp"
#include "render/columns.hpp"

#include <algorithm>
#include <climits>
#include <poll.h>
#include <unistd.h>

namespace ctl::run {

void say(const std::string& line) {
        auto text = std::string(own_name()) + ": " + render::printable(line);
        // A pipe that has room has room for so much.
        text.resize(std::min<std::size_t>(text.size(), PIPE_BUF - 1));
        text += '\n';
        pollfd room{STDERR_FILENO, POLLOUT, 0};
        if (::poll(&room, 1, 0) == 1 && (room.revents & POLLOUT) != 0)
                (void)!::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace ctl::run
