// SPDX-License-Identifier: MIT
//
// The words that may stand next on a command line: shells ask for them when TAB is pressed.
#pragma once

#include "exit_code.hpp"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ctl {

/// The verbs that are for people.
[[nodiscard]] std::vector<const CLI::App*> shown_verbs(const CLI::App& app);

/// Prints what may stand in the place of the last of `words`, which follow the program's name: one
/// a line, and behind a tab what it is. Or one line alone: ":file", a path may, or ":program N",
/// the last N words are a command of their own. Prints nothing where nothing is known. Asks the
/// governor for processes, and waits 10 ms for it at most.
[[nodiscard]] ExitCode print_completions(const CLI::App& app, std::vector<std::string> words);

}  // namespace ctl
