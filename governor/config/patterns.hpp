// SPDX-License-Identifier: MIT
//
// Shell patterns that an administrator cannot have meant. Pure.
#pragma once

#include <string>
#include <string_view>

namespace governor::config {

/// Why nothing, or only what nobody is called, would fit `pattern`, and what to write instead.
/// Empty: it is fine.
[[nodiscard]] std::string what_is_wrong_with_pattern(std::string_view pattern);

/// The same of one for executables, which is held against the path as the kernel names it if
/// there is a slash in it: from the root, without a slash at its end, and without "//", "/./" and
/// "/../".
[[nodiscard]] std::string what_is_wrong_with_executable(std::string_view pattern);

}  // namespace governor::config
