// SPDX-License-Identifier: MIT
// Each decision is compared with what there was right before it.
#include "simulation/checks/topology.hpp"

#include <algorithm>
#include <limits>

namespace simulation {

namespace {

constexpr std::uint32_t kForeignHome_millicpu = 500;  // who shrinks leaves such CPUs first
constexpr auto kNoCore = std::numeric_limits<std::uint32_t>::max();

CpuMask own_cpus(const World& world, const Resident& resident) {
        const auto* held = world.held(resident);
        return held != nullptr && held->is_own() ? held->grant.cpus : CpuMask{};
}

bool has_foreign_homes(const World& world) {
        const auto& foreign = world.believed().foreign;
        bool found = false;
        world.known().pool().for_each([&](std::uint32_t cpu) {
                found = found || foreign.now_millicpu(cpu) >= kForeignHome_millicpu;
        });
        return found;
}

}  // namespace

bool Topology::only_places_matter(const World& world) {
        return world.last().foreign == 0 && all_may_run_everywhere(world) &&
               std::ranges::all_of(
                       world.residents,
                       [](const Resident& one) { return !one.client || is_honest(one); }) &&
               !has_foreign_homes(world);
}

void Topology::deciding(const World& world) {
        before_.clear();
        if (world.scenario.machine.smt < 2)
                return;
        for (const auto& resident : world.residents)
                before_[resident.number] = {own_cpus(world, resident) & world.known().pool(),
                                            resident.process->occupied()};
}

void Topology::decided(const World& world) {
        const auto changed = [&](const Resident& resident) {
                return own_cpus(world, resident) != before_.at(resident.number).granted;
        };
        if (world.scenario.machine.smt < 2 || !std::ranges::any_of(world.residents, changed) ||
            !only_places_matter(world))
                return;
        const auto free_core = smallest_free_core(world);
        for (const auto& resident : world.residents) {
                const auto& before = before_.at(resident.number);
                check_shrunk(world, resident, before);
                check_grown(world, resident, before, free_core);
        }
}

/// CPUs of the smallest core that nobody has or runs on.
std::uint32_t Topology::smallest_free_core(const World& world) const {
        const auto& machine = world.known();
        auto free = machine.pool();
        for (const auto& resident : world.residents) {
                free -= own_cpus(world, resident);
                free -= before_.at(resident.number).occupied;
        }
        auto smallest = kNoCore;
        for (const auto& core : machine.cores())
                if (core.is_within(free))
                        smallest = std::min(smallest, core.count());
        return smallest;
}

void Topology::check_shrunk(const World& world, const Resident& resident, const Before& before) {
        const auto now = own_cpus(world, resident);
        if (now.empty() || now.count() >= before.granted.count())
                return;
        std::uint32_t broken = 0;
        for (const auto& core : world.known().cores())
                if (core.is_within(before.granted) && core.intersects(now) && !core.is_within(now))
                        broken++;
        if (broken > world.scenario.machine.smt - 1)
                violated(world, "whole-cores",
                         name_of(resident) + " shrinks from " +
                                 std::to_string(before.granted.count()) + " to " +
                                 std::to_string(now.count()) + " and gives up parts of " +
                                 std::to_string(broken) + " cores");
}

void Topology::check_grown(const World& world, const Resident& resident, const Before& before,
                           std::uint32_t smallest_free_core) {
        const auto now = own_cpus(world, resident);
        const auto added = now - before.granted - before.occupied;
        if (added.empty() || smallest_free_core == kNoCore)
                return;
        std::uint32_t parts = 0;
        for (const auto& core : world.known().cores())
                if (!core.is_within(now) && !core.intersects(before.granted))
                        parts += core.count_common(added);
        if (parts >= smallest_free_core)
                violated(world, "whole-cores",
                         name_of(resident) + " grows from " +
                                 std::to_string(before.granted.count()) + " to " +
                                 std::to_string(now.count()) + " by " + std::to_string(parts) +
                                 " CPUs of cores that are not its own, and a core with " +
                                 std::to_string(smallest_free_core) + " CPUs is free");
}

}  // namespace simulation
