// SPDX-License-Identifier: MIT
//
// The messages of `run` while others wait for it.
#pragma once

#include <string>

namespace ctl::run {

/// "fairly: LINE", or "governorctl: LINE", on standard error, or nothing where that would wait for
/// a reader.
void say(const std::string& line);

}  // namespace ctl::run
