// SPDX-License-Identifier: MIT
//
// Descriptors that `run` was given for its command.
#pragma once

#include <vector>

namespace ctl::run {

/// No descriptor of ours becomes a standard stream, and gets what is written for people. The
/// program finds those closed that were.
void fill_standard_streams();

/// Those that are open and pass an exec: before `run` opens any of its own, which do not.
[[nodiscard]] std::vector<int> inherited_descriptors();

/// The command has them now, and says when a pipe ends. Standard input and output become /dev/null,
/// standard error stays, the others of `inherited` are closed.
void let_go(const std::vector<int>& inherited);

}  // namespace ctl::run
