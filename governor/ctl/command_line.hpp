// SPDX-License-Identifier: MIT
//
// argv -> the verb and its options.
#pragma once

#include "exit_code.hpp"

#include <functional>
#include <variant>

namespace ctl {

/// The action, or (help, version, wrong usage: printed already) the code to exit with.
[[nodiscard]] std::variant<std::function<ExitCode()>, ExitCode> parse_command_line(int argc,
                                                                                   char** argv);

}  // namespace ctl
