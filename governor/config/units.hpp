// SPDX-License-Identifier: MIT
//
// Values with units, as people write them in configuration files. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace governor::config {

/// Decimal digits and nothing else. Empty: not understood, or above 2^32 - 1.
[[nodiscard]] std::optional<std::uint32_t> parse_number(std::string_view text);

/// "50ms", "1s", "1.5s", "2min"; a unit is needed. Empty: not understood, or above 24 h.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// The shortest form: "50ms", "1s", "2min".
[[nodiscard]] std::string format_duration(std::chrono::milliseconds duration);

/// "5%" or "2.5%" as permyriad (0..10000); the sign is needed. Empty: not understood or above
/// 100%.
[[nodiscard]] std::optional<std::uint32_t> parse_percent(std::string_view text);

/// "yes" or "no". Empty: something else.
[[nodiscard]] std::optional<bool> parse_yes(std::string_view text);

[[nodiscard]] std::string format_yes(bool is_yes);

}  // namespace governor::config
