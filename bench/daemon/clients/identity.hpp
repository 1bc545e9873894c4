// SPDX-License-Identifier: MIT
//
// The user that a process belongs to: the governor counts connections by user.
#pragma once

#include <optional>
#include <sys/types.h>

namespace bench {

/// Becomes `user` (user and group of that number, no other groups) where one is given, and ends
/// with its parent in any case. Throws std::system_error when it may not.
void become(std::optional<uid_t> user);

}  // namespace bench
