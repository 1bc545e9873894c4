// SPDX-License-Identifier: MIT
// The machine, and counting in decisions.
#include "world.hpp"

namespace governor::policy::fair {

Topology topology_of(const Shape& shape) {
        Topology topology;
        for (std::uint32_t cpu = 0; cpu < shape.cpus; cpu++) {
                auto& place = topology[cpu];
                place.core = cpu / shape.threads_per_core;
                place.cache = shape.cpus_per_cache > 0 ? cpu / shape.cpus_per_cache : 0;
                place.node = shape.cpus_per_node > 0 ? cpu / shape.cpus_per_node : 0;
                place.package = place.node;
        }
        return topology;
}

Client& World::add(std::uint64_t account, milliseconds age) {
        Client client;
        client.id = ProgramId{clients.size() + 1};
        client.account = AccountId{account};
        client.joined = now - age;
        client.allowed = machine.pool();
        clients.push_back(client);
        return clients.back();
}

std::size_t World::add_tree(std::uint32_t weight) {
        trees.push_back({weight, 1, std::nullopt});
        return trees.size() - 1;
}

void World::load(const CpuMask& cpus, std::uint32_t millicpu_each) {
        foreign.load.assign(topology.size(), 0);
        cpus.for_each([&](std::uint32_t cpu) {
                foreign.load.at(cpu) = static_cast<float>(millicpu_each);
        });
}

Decision World::decide() const { return fair::decide(settings, snapshot()); }

std::vector<std::uint32_t> World::follow() {
        const auto decision = decide();
        for (std::size_t i = 0; i < clients.size(); i++) {
                clients[i].granted = decision.grants[i].cpus;
                clients[i].shared = decision.grants[i].shared;
        }
        return threads_of(decision);
}

Scaling amdahl(double knee) {
        Scaling scaling;
        for (std::size_t i = 0; i < Scaling::kOctaves; i++)
                scaling.learn(i, amdahl_elasticity(knee, i));
        return scaling;
}

Scaling linear() {
        Scaling scaling;
        for (std::size_t i = 0; i < Scaling::kOctaves; i++)
                scaling.learn(i, 1);
        return scaling;
}

std::vector<std::uint32_t> threads_of(const Decision& decision) {
        std::vector<std::uint32_t> threads;
        for (const auto& grant : decision.grants)
                threads.push_back(grant.threads);
        return threads;
}

std::uint32_t overlaps(const Decision& decision) {
        CpuMask once;
        CpuMask twice;
        for (const auto& grant : decision.grants) {
                twice |= once & grant.cpus;
                once |= grant.cpus;
        }
        return twice.count();
}

std::uint32_t split_cores(const Machine& machine, const Decision& decision) {
        std::uint32_t split = 0;
        for (const auto& core : machine.cores()) {
                std::uint32_t owners = 0;
                for (const auto& grant : decision.grants)
                        owners += core.intersects(grant.cpus) ? 1 : 0;
                split += owners > 1 ? 1 : 0;
        }
        return split;
}

}  // namespace governor::policy::fair
