// SPDX-License-Identifier: MIT
//
// Configuration file and its drop-ins -> Settings, or what is wrong with them.
#pragma once

#include "config/apply.hpp"

#include <string>
#include <tl/expected.hpp>

namespace governor::config {

/// Reads `path` and then PATH.d/*.conf in the order of their names; later files win. A file that
/// does not exist is fine if `optional` (its drop-ins still count).
[[nodiscard]] tl::expected<Settings, Errors> load(const std::string& path, bool optional,
                                                  const UserLookup& users = find_user);

}  // namespace governor::config
