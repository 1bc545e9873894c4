// SPDX-License-Identifier: MIT
//
// Shell patterns that an administrator cannot have meant. Pure.
#pragma once

#include <string>
#include <string_view>

namespace governor::config {

/// Tells why nothing, or only a name that no program has, would fit `pattern`, and what to write
/// instead. Empty: it is fine.
[[nodiscard]] std::string what_is_wrong_with_pattern(std::string_view pattern);

/// The same for a pattern for executables. A pattern with a slash in it is held against the path as
/// the kernel names it: from the root, without a slash at its end, and without "//", "/./" and
/// "/../".
[[nodiscard]] std::string what_is_wrong_with_executable(std::string_view pattern);

}  // namespace governor::config
