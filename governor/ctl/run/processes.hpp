// SPDX-License-Identifier: MIT
//
// The processes that descend from one.
#pragma once

#include "outside/held_process.hpp"

#include <functional>
#include <sys/types.h>
#include <vector>

namespace ctl::run {

/// Is `root` an ancestor of it? False also where it has ended.
[[nodiscard]] bool descends_from(pid_t pid, pid_t root);

/// The threads of a process that descends from the root of a walk; false: what descends from it is
/// left out. Its number may be another one's by now, which `process` is not.
using Visit =
        std::function<bool(const outside::ProcessId& process, const std::vector<pid_t>& threads)>;

/// Calls `visit` for all that descend from `root`, parents first. Those that come, go or change
/// their parent meanwhile may be missed. A stranger that gets the number of one that has gone is
/// not taken for it. Looks at 65,536 threads at most. About 20 us per process.
void walk(pid_t root, const Visit& visit);

/// Does the kernel tell children? Otherwise walk() finds nothing.
[[nodiscard]] bool can_walk();

}  // namespace ctl::run
