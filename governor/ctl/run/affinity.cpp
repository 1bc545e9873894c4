// SPDX-License-Identifier: MIT
// sched_setaffinity(2) for machines of any size, and lists of CPUs.
#include "run/affinity.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace ctl::run {

std::optional<CpuMask> affinity_of(pid_t tid) {
        CpuMask cpus;
        if (::syscall(SYS_sched_getaffinity, tid, sizeof(cpus.words), cpus.words) <= 0)
                return std::nullopt;
        return cpus;
}

bool set_affinity(pid_t tid, const CpuMask& cpus) {
        return ::syscall(SYS_sched_setaffinity, tid, sizeof(cpus.words), cpus.words) == 0;
}

std::string list_of(const CpuMask& cpus) {
        const auto has = [&](std::uint32_t cpu) {
                return cpu < threadcount::kMostCpus &&
                       (cpus.words[cpu / 64] >> (cpu % 64) & 1U) != 0;
        };
        std::string list;
        for (std::uint32_t first = 0; first < threadcount::kMostCpus; first++) {
                if (!has(first))
                        continue;
                auto last = first;
                while (has(last + 1))
                        last++;
                list += (list.empty() ? "" : ",") + std::to_string(first) +
                        (last > first ? "-" + std::to_string(last) : "");
                first = last;
        }
        return list;
}

}  // namespace ctl::run
