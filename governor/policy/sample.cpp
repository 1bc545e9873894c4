// SPDX-License-Identifier: MIT
// Which CPUs a decision is about.
#include "policy/sample.hpp"

#include <algorithm>
#include <iterator>

namespace governor::policy {

bool Pool::contains(std::uint32_t cpu) const {
        return (!cpus || std::ranges::binary_search(*cpus, cpu)) &&
               !std::ranges::binary_search(reserve, cpu);
}

Pool Pool::without(const CpuMask& none_of) const {
        return {cpus, (CpuMask(reserve) | none_of).to_set()};
}

CpuMask cpus_of(const Sample& sample) {
        CpuMask cpus;
        for (const auto& cpu : sample.cpus)
                cpus.add(cpu.cpu);
        return cpus;
}

Sample restrict_to(const Pool& pool, const Sample& sample) {
        Sample part{{}, sample.warming_up};
        std::ranges::copy_if(sample.cpus, std::back_inserter(part.cpus),
                             [&](const CpuIdle& cpu) { return pool.contains(cpu.cpu); });
        return part;
}

}  // namespace governor::policy
