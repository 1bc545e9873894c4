// SPDX-License-Identifier: MIT
// Each decision is compared with what there was right before it.
#include "simulation/checks/topology.hpp"

#include <algorithm>
#include <limits>

namespace simulation {

namespace {

using governor::policy::fair::Limit;

constexpr std::uint32_t kForeignHome_millicpu = 500;  // programs that shrink leave such CPUs first
constexpr auto kNoCore = std::numeric_limits<std::uint32_t>::max();

CpuMask own_cpus(const World& world, const Resident& resident) {
        const auto* held = world.held(resident);
        return held != nullptr && held->is_own() ? held->grant.cpus : CpuMask{};
}

bool has_foreign_homes(const World& world) {
        const auto& foreign = world.believed().foreign;
        bool found = false;
        world.known().pool().for_each([&](std::uint32_t cpu) {
                found = found || foreign.millicpu_on(cpu) >= kForeignHome_millicpu;
        });
        return found;
}

/// The CPUs that it was told first, beside others that do not follow.
CpuMask cpus_to_start_on(const World& world, const Resident& resident) {
        const auto* held = world.held(resident);
        const bool starts = held != nullptr && held->grant.shared && held->grant.threads > 1 &&
                            held->grant.reason.limit != Limit::Idle;
        return starts ? held->grant.cpus : CpuMask{};
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
        const auto any_is = [&](Limit limit) {
                return std::ranges::any_of(world.last().grants, [&](const auto& grant) {
                        const bool is_idle = grant.shared && grant.threads > 1;
                        return grant.reason.limit == limit && !is_idle;
                });
        };
        const bool somebody_waits = any_is(Limit::Handover);
        const bool somebody_lacks = somebody_waits || any_is(Limit::Newcomer);
        const bool is_rigid = any_is(Limit::Rigid);
        for (const auto& resident : world.residents) {
                const auto& before = before_.at(resident.number);
                if (somebody_waits)
                        check_shrunk(world, resident, before);
                check_grown(world, resident, before, free_core);
                if (!somebody_lacks && !is_rigid)
                        check_apart(world, resident, free_core);
        }
}

bool Topology::has_another_owner(const World& world, const Resident& resident,
                                 const CpuMask& core) {
        return std::ranges::any_of(world.residents, [&](const Resident& other) {
                return other.number != resident.number && core.intersects(own_cpus(world, other));
        });
}

/// Others have CPUs of it, or run on those that it has not. An idle program lends its CPUs, also in
/// the middle of a region.
bool Topology::is_shared(const World& world, const Resident& resident, const CpuMask& core) const {
        const auto rest = core - own_cpus(world, resident);
        const auto is_idle = [&](const Resident& other) {
                const auto* held = world.held(other);
                return held != nullptr && held->grant.reason.limit == Limit::Idle;
        };
        return has_another_owner(world, resident, core) ||
               std::ranges::any_of(world.residents, [&](const Resident& other) {
                       return other.number != resident.number && !is_idle(other) &&
                              rest.intersects(before_.at(other.number).occupied);
               });
}

/// CPUs of the smallest core that nobody has, runs on, or has been told to start on.
std::uint32_t Topology::smallest_free_core(const World& world) const {
        const auto& machine = world.known();
        auto free = machine.pool();
        for (const auto& resident : world.residents) {
                free -= own_cpus(world, resident);
                free -= before_.at(resident.number).occupied;
                free -= cpus_to_start_on(world, resident);
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
                if (!core.is_within(now) && !core.intersects(before.granted) &&
                    is_shared(world, resident, core))
                        parts += core.count_common(added);
        if (parts >= smallest_free_core)
                violated(world, "whole-cores",
                         name_of(resident) + " grows from " +
                                 std::to_string(before.granted.count()) + " to " +
                                 std::to_string(now.count()) + " by " + std::to_string(parts) +
                                 " CPUs of cores that it shares, and a core with " +
                                 std::to_string(smallest_free_core) + " CPUs is free");
}

void Topology::check_apart(const World& world, const Resident& resident,
                           std::uint32_t smallest_free_core) {
        if (smallest_free_core == kNoCore)
                return;
        const auto now = own_cpus(world, resident);
        for (const auto& core : world.known().cores())
                if (core.count_common(now) > 1)
                        violated(world, "whole-cores",
                                 name_of(resident) + " has two CPUs of a core, and a core is free");
}

}  // namespace simulation
