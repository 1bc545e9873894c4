// SPDX-License-Identifier: MIT
//
// Waits for the command as a shell or sudo does: it gets the signals that were meant for it, stops
// and dies as it does, and its orphans are reaped.
#pragma once

#include "run/signals.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <sys/types.h>

namespace ctl::run {

/// When there is something to do besides: as soon as the descriptor can be read (-1: none), and
/// when this time is over (empty: never).
struct Attention {
        int fd = -1;
        std::optional<std::chrono::milliseconds> within;
};

/// Does what there is to do, without waiting.
using Attend = std::function<Attention()>;

/// Returns the wait status of `command`, a child of this process; where a signal may not be passed
/// on to it, and is one that kills, the status of a process that it has killed. Until then what
/// became of other children is forgotten.
[[nodiscard]] int wait_for(pid_t command, const Signals& signals, const Attend& attend);

/// What `run` ends with: the command's exit status. Where a signal has killed that, it kills this
/// process, too, and does not return.
[[nodiscard]] int end_as(int wait_status);

}  // namespace ctl::run
