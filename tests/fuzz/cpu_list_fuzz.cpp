// SPDX-License-Identifier: MIT
// A CPU list that is accepted is ascending and reads back as it is written.
#include "policy/cpu_set.hpp"
#include "require.hpp"

#include <algorithm>
#include <functional>

using namespace governor::policy;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
        const auto cpus = parse_cpu_list({reinterpret_cast<const char*>(data), size});
        if (!cpus)
                return 0;
        require(std::ranges::adjacent_find(*cpus, std::greater_equal{}) == cpus->end(),
                "CPUs ascend and none comes twice");
        require(cpus->empty() || cpus->back() < kCpuNumberLimit, "CPU numbers are below the limit");
        const auto text = format_cpu_list(*cpus);
        require(parse_cpu_list(text) == cpus, "what is written reads back");
        const bool has_steps = std::find(data, data + size, ':') != data + size;
        require(has_steps || text.size() <= std::max<std::size_t>(size, 1),
                "what is written is the shortest form without steps");
        return 0;
}
