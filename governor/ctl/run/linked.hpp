// SPDX-License-Identifier: MIT
//
// Is a program linked with libthreadcount? It follows by itself then, and what `run` sets at its
// start would be its maximum for good.
#pragma once

#include <string>

namespace ctl::run {

/// Of the executable that execvp() would find by this name. False also for scripts, for programs
/// that load the library later, and for what cannot be read. Some 50 us.
[[nodiscard]] bool is_linked(const std::string& command);

}  // namespace ctl::run
