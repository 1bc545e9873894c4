// SPDX-License-Identifier: MIT
//
// Sets of CPU numbers in the kernel's list format: "0-3,8".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace governor::policy {

/// CPU numbers, ascending and unique.
using CpuSet = std::vector<std::uint32_t>;

/// One more than the highest CPU number that we accept; the kernel's own limit is 8192.
inline constexpr std::uint32_t kCpuNumberLimit = 65536;

/// Reads "0-3,8" as {0, 1, 2, 3, 8}. The list "0-10:2" is every second CPU of a range, and
/// "0-10:2/4" the first two of each four. Ranges may come in any order and overlap. A trailing
/// newline and an empty list are fine, as in sysfs. Empty result: not a CPU list.
[[nodiscard]] std::optional<CpuSet> parse_cpu_list(std::string_view text);

/// {0, 1, 2, 3, 8} -> "0-3,8".
[[nodiscard]] std::string format_cpu_list(const CpuSet& cpus);

}  // namespace governor::policy
