// SPDX-License-Identifier: MIT
// Straight lines between what is known: one busy CPU of a core, and all of them.
#include "simulation/world/contention.hpp"

#include <algorithm>

namespace simulation {

std::vector<double> core_speeds(const MachineShape& shape, std::span<const double> busy) {
        const auto cores = std::max(shape.cpus / shape.smt, 1U);
        std::vector<double> loads(cores, 0.0);
        for (std::size_t cpu = 0; cpu < busy.size(); cpu++)
                loads[cpu % cores] += busy[cpu];
        const double whole = shape.smt * shape.shared_core;  // of a core, against one CPU alone
        std::vector<double> speeds(busy.size(), 1.0);
        for (std::size_t cpu = 0; cpu < busy.size(); cpu++) {
                const double load = loads[cpu % cores];
                if (shape.smt > 1 && load > 1)
                        speeds[cpu] = (1 + (load - 1) * (whole - 1) / (shape.smt - 1)) / load;
        }
        return speeds;
}

double memory_speed(double wanted) { return wanted > 1 ? 1 / wanted : 1; }

}  // namespace simulation
