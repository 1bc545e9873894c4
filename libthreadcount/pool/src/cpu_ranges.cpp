// SPDX-License-Identifier: MIT
// Strict, because a list that is not as the kernel writes it says nothing about what CPUs share.
#include "cpu_ranges.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace threadcount::pool {

namespace {

std::optional<std::uint32_t> take_number(std::string_view& text) {
        std::uint32_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc{} || number >= kCpuNumberLimit)
                return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        return number;
}

bool take(std::string_view& text, char wanted) {
        if (!text.starts_with(wanted))
                return false;
        text.remove_prefix(1);
        return true;
}

std::optional<CpuRange> take_range(std::string_view& text) {
        const auto first = take_number(text);
        const auto last = first && take(text, '-') ? take_number(text) : first;
        if (!last || *last < *first)
                return std::nullopt;
        return CpuRange{*first, *last};
}

}  // namespace

std::vector<CpuRange> parse_cpu_ranges(std::string_view text) {
        if (text.ends_with('\n'))
                text.remove_suffix(1);
        std::vector<CpuRange> ranges;
        while (!text.empty()) {
                const auto range = take_range(text);
                const bool is_last = text.empty();
                if (!range || (!is_last && (!take(text, ',') || text.empty())) ||
                    (!ranges.empty() && range->first <= ranges.back().last))
                        return {};
                ranges.push_back(*range);
        }
        return ranges;
}

bool contains(const std::vector<CpuRange>& ranges, std::uint32_t cpu) {
        return std::ranges::any_of(
                ranges, [=](const auto& range) { return range.first <= cpu && cpu <= range.last; });
}

}  // namespace threadcount::pool
