// SPDX-License-Identifier: MIT
//
// The command as a child of `run`.
#pragma once

#include "run/signals.hpp"
#include "run/variables.hpp"

#include <libthreadcount/src/cpu_mask.hpp>
#include <string>
#include <sys/types.h>
#include <tl/expected.hpp>
#include <vector>

namespace ctl::run {

struct StartError {
        int error = 0;           ///< errno
        bool is_of_exec = true;  ///< false: there is no process for it
};

/// Starts the command in this process group, with the signals that `signals` was given and none of
/// our descriptors. It runs on `fence` only; nullptr: wherever this process may. `in_own_session`:
/// in another process group then, and without a terminal. `changes` are of its environment alone.
/// Returns when the program is executed.
[[nodiscard]] tl::expected<pid_t, StartError>
start(const std::vector<std::string>& command, Signals& signals, const threadcount::CpuMask* fence,
      bool in_own_session, const std::vector<Change>& changes = {});

/// A standard error that nobody reads ends only what is written there. execute() undoes it.
void ignore_broken_pipes();

/// Becomes the command; returns errno if it cannot.
[[nodiscard]] int execute(const std::vector<std::string>& command);

}  // namespace ctl::run
