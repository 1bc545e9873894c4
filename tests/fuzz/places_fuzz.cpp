// SPDX-License-Identifier: MIT
// Ranges that are accepted ascend, do not overlap, and read back as they are written.
#include "cpu_ranges.hpp"
#include "require.hpp"

#include <string>

using namespace threadcount::pool;

namespace {

std::string text_of(const std::vector<CpuRange>& ranges) {
        std::string text;
        for (const auto& [first, last] : ranges) {
                text += (text.empty() ? "" : ",") + std::to_string(first);
                if (last > first)
                        text += "-" + std::to_string(last);
        }
        return text + "\n";
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
        const auto ranges = parse_cpu_ranges({reinterpret_cast<const char*>(data), size});
        for (std::size_t i = 0; i < ranges.size(); i++) {
                const auto& [first, last] = ranges[i];
                require(first <= last && last < kCpuNumberLimit, "a range is one of CPU numbers");
                require(i == 0 || ranges[i - 1].last < first, "ranges ascend and do not overlap");
                require(contains(ranges, first) && contains(ranges, last), "bounds are contained");
                require(contains(ranges, first - 1) == (i > 0 && ranges[i - 1].last == first - 1),
                        "what is before a range is not in it");
        }
        if (!ranges.empty())
                require(parse_cpu_ranges(text_of(ranges)) == ranges, "what is written reads back");
        return 0;
}
