// SPDX-License-Identifier: MIT
// Equal parts for packages, nodes and caches; siblings are numbered as on most x86 servers.
#include "simulation/world/virtual_machine.hpp"

#include <algorithm>

namespace simulation {

VirtualMachine::VirtualMachine(const MachineShape& shape)
        : shape_(shape), possible_(CpuMask::range(0, shape.cpus)) {
        const auto cores = std::max(shape.cpus / shape.smt, 1U);
        const auto part = [&](std::uint32_t core, std::uint32_t parts) {
                return static_cast<std::uint32_t>(std::uint64_t{core} * parts / cores);
        };
        std::map<std::uint32_t, std::uint32_t> first_of_cache;
        for (std::uint32_t cpu = 0; cpu < shape.cpus; cpu++) {
                const auto core = cpu % cores;
                const auto cache =
                        first_of_cache.try_emplace(part(core, shape.caches), cpu).first->second;
                places_[cpu] = {core, part(core, shape.packages), part(core, shape.nodes), cache};
        }
        usual_ = possible_ - CpuMask(shape.isolated);
        pool_ = shape.pool ? CpuMask(*shape.pool) & usual_ : usual_;
        online_ = possible_;
        update();
}

void VirtualMachine::set_online(const CpuSet& cpus, bool online) {
        for (const auto cpu : cpus) {
                if (cpu == 0 || !possible_.contains(cpu))
                        continue;
                if (online)
                        online_.add(cpu);
                else
                        online_.remove(cpu);
        }
        update();
}

void VirtualMachine::update() {
        governor::policy::Topology topology;
        online_.for_each([&](std::uint32_t cpu) { topology[cpu] = places_[cpu]; });
        governed_ = governor::policy::Machine(topology, pool_);
}

}  // namespace simulation
