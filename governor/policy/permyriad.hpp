// SPDX-License-Identifier: MIT
//
// Ratios as whole numbers of 1/10000: exact to compare, safe on the wire.
#pragma once

#include <cstdint>
#include <string>

namespace governor::policy {

inline constexpr std::uint32_t kPermyriad = 10000;  ///< always; 0 is never

/// 500 -> "5%", 250 -> "2.5%".
[[nodiscard]] std::string format_percent(std::uint32_t permyriad);

}  // namespace governor::policy
