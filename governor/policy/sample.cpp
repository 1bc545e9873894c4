// SPDX-License-Identifier: MIT
// Which CPUs a decision is about.
#include "policy/sample.hpp"

#include <algorithm>
#include <iterator>

namespace governor::policy {

Sample restrict_to(const std::optional<CpuSet>& cpus, const Sample& sample) {
        if (!cpus)
                return sample;
        Sample part{{}, sample.warming_up};
        std::ranges::copy_if(sample.cpus, std::back_inserter(part.cpus), [&](const CpuIdle& cpu) {
                return std::ranges::binary_search(*cpus, cpu.cpu);
        });
        return part;
}

}  // namespace governor::policy
