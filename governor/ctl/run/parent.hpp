// SPDX-License-Identifier: MIT
//
// Waits for the command as a shell or sudo does. The command gets the signals that were meant for
// it; this process stops and dies as the command does, and reaps its orphans.
#pragma once

#include "run/signals.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <sys/types.h>

namespace ctl::run {

/// The times at which there is something to do besides: as soon as the descriptor can be read (-1:
/// none), and when this time is over (empty: never).
struct Attention {
        int fd = -1;
        std::optional<std::chrono::milliseconds> within;
};

/// Does what there is to do, without waiting.
using Attend = std::function<Attention()>;

/// Returns the wait status of `command`, a child of this process. The status is that of a process
/// that a signal has killed, if this signal kills and may not be passed on to `command`. Until then
/// what became of other children is forgotten. Signals that end a whole group as a rule are passed
/// on to that of a command that was started in a session of its own.
[[nodiscard]] int wait_for(pid_t command, bool in_own_session, const Signals& signals,
                           const Attend& attend);

/// The exit status of `run`: the command's. It kills this process, too, and does not return if a
/// signal has killed the command.
[[nodiscard]] int end_as(int wait_status);

}  // namespace ctl::run
