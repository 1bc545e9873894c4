// SPDX-License-Identifier: MIT
// Asks sysfs which CPUs share a core: their numbers tell nothing.
#include "cpus.hpp"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>

namespace examples {
namespace {

// The kernel's own limit, far above CPU_SETSIZE.
constexpr int kMostCpus = 8192;

class CpuSet {
public:
        CpuSet() : set_(CPU_ALLOC(kMostCpus)), size_(CPU_ALLOC_SIZE(kMostCpus)) {
                if (set_ != nullptr)
                        CPU_ZERO_S(size_, set_);
        }
        ~CpuSet() { CPU_FREE(set_); }
        CpuSet(const CpuSet&) = delete;
        CpuSet& operator=(const CpuSet&) = delete;

        [[nodiscard]] bool read() const {
                return set_ != nullptr && sched_getaffinity(0, size_, set_) == 0;
        }
        [[nodiscard]] bool has(int cpu) const {
                return CPU_ISSET_S(static_cast<std::size_t>(cpu), size_, set_);
        }
        void set_alone(int cpu) {
                if (set_ == nullptr)
                        return;
                CPU_SET_S(static_cast<std::size_t>(cpu), size_, set_);
                (void)sched_setaffinity(0, size_, set_);
        }

private:
        cpu_set_t* set_;
        std::size_t size_;
};

/// The same text for all CPUs of a core; an own one where sysfs says nothing.
std::string core_of(int cpu) {
        const auto number = std::to_string(cpu);
        std::ifstream file("/sys/devices/system/cpu/cpu" + number +
                           "/topology/thread_siblings_list");
        std::string siblings;

        return std::getline(file, siblings) ? siblings : number;
}

}  // namespace

std::vector<int> cpus_cores_first(std::size_t most) {
        const CpuSet allowed;
        std::vector<std::pair<int, int>> turn_and_cpu;
        std::map<std::string, int> seen_of_core;

        if (!allowed.read())
                return {0};
        for (int cpu = 0; cpu < kMostCpus; ++cpu) {
                if (allowed.has(cpu))
                        turn_and_cpu.emplace_back(seen_of_core[core_of(cpu)]++, cpu);
        }
        std::ranges::sort(turn_and_cpu);
        std::vector<int> cpus;
        for (const auto& [turn, cpu] : turn_and_cpu)
                cpus.push_back(cpu);
        cpus.resize(std::min(cpus.size(), most));
        return cpus;
}

void stay_on(int cpu) { CpuSet{}.set_alone(cpu); }

}  // namespace examples
