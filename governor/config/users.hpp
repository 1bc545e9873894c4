// SPDX-License-Identifier: MIT
//
// User names -> numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <tl/expected.hpp>

namespace governor::config {

/// The number of a user, or why there is none: "no such user", ...
using UserLookup = std::function<tl::expected<std::uint32_t, std::string>(const std::string& name)>;

/// Asks the host's user database (getpwnam(3)), which may block on a network. Not thread-safe.
[[nodiscard]] tl::expected<std::uint32_t, std::string> find_user(const std::string& name);

}  // namespace governor::config
