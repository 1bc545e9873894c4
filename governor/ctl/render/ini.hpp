// SPDX-License-Identifier: MIT
//
// Settings as governord reads them.
#pragma once

#include <string>

namespace ctl::render {

/// A line of governord.conf(5), with its end: "key = value", or "key=value" where governord would
/// find that too long.
[[nodiscard]] std::string assignment(const std::string& key, const std::string& value);

}  // namespace ctl::render
