// SPDX-License-Identifier: MIT
//
// The kernel's CPU lists, "0-3,8,10-11", as ranges. Pure. The daemon's policy/cpu_set reads what
// people write, too, in any order, into sets: no room is below both, and some lines alike cost less
// than one.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace threadcount::pool {

/// No CPU has this number or a higher one.
inline constexpr std::uint32_t kCpuNumberLimit = 65536;

struct CpuRange {
        std::uint32_t first;
        std::uint32_t last;  // not below `first`
        bool operator==(const CpuRange&) const = default;
};

/// Ascending, none overlaps another; one line end may follow. Empty if `text` is, or if it is
/// anything that the kernel does not write. Costs as much as there is text, whatever the numbers.
[[nodiscard]] std::vector<CpuRange> parse_cpu_ranges(std::string_view text);

[[nodiscard]] bool contains(const std::vector<CpuRange>& ranges, std::uint32_t cpu);

}  // namespace threadcount::pool
