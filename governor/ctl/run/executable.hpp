// SPDX-License-Identifier: MIT
//
// What the file of a command says of it before it runs.
#pragma once

#include <string>

namespace ctl::run {

/// Is it linked with libthreadcount? It follows by itself then, and what `run` sets at its start
/// would be its maximum for good. Of the executable that execvp() would find by this name. False
/// also for scripts, for programs that load the library later, and for what cannot be read. Some
/// 50 us.
[[nodiscard]] bool is_linked(const std::string& command);

/// Will it have more privileges than this process (set-user-ID, or capabilities of the file)? It
/// cannot be moved then: the kernel asks for as many.
[[nodiscard]] bool gains_privilege(const std::string& command);

/// Why execvp() would not find it, or may not execute it: an errno. 0: it would.
[[nodiscard]] int reason_not_to_execute(const std::string& command);

}  // namespace ctl::run
