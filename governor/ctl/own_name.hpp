// SPDX-License-Identifier: MIT
//
// The name by which the user has called this program.
#pragma once

#include <string_view>

namespace ctl {

/// A link of this name is another name of `governorctl run`.
inline constexpr const char* kFairly = "fairly";

/// "fairly", or "governorctl" by whatever other name it was called.
[[nodiscard]] const char* own_name();

[[nodiscard]] inline bool is_fairly() { return own_name() == std::string_view(kFairly); }

}  // namespace ctl
