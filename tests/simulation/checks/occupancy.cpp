// SPDX-License-Identifier: MIT
// A team's CPUs are those of the grant that its region began with.
#include "simulation/checks/occupancy.hpp"

#include <utility>

namespace simulation {

namespace {

bool tells_the_truth(const Resident& resident) {
        switch (resident.process->program().behaviour) {
        case Behaviour::Honest:
        case Behaviour::Endless:
                return true;
        default:
                return false;
        }
}

}  // namespace

void Occupancy::decided(const World& world) {
        for (const auto& resident : world.residents) {
                const auto* held = world.held(resident);
                if (held == nullptr)
                        continue;
                const auto& process = *resident.process;
                note_begin(world, resident, held->grant);
                if (process.occupied().is_within(held->grant.cpus))
                        above_since_.erase(resident.number);
                const auto above = process.occupied().is_within(held->grant.cpus)
                                           ? world.now
                                           : above_since_.try_emplace(resident.number, world.now)
                                                     .first->second;
                if (held->grant.shared || process.stopped() || world.yields(resident) ||
                    held->grant.reason.limit == governor::policy::fair::Limit::Ungoverned ||
                    world.now - above >= world.scenario.governor.fair.handover_max)
                        broken_[resident.number] = process.epoch();
        }
}

/// A program that begins, wakes up, or whose CPUs have all gone, may have CPUs that their holder
/// has still to leave.
void Occupancy::note_begin(const World& world, const Resident& resident,
                           const governor::policy::fair::Grant& grant) {
        auto& begun = begun_[resident.number];
        const bool may_begin = begun.may_begin || !begun.granted.intersects(world.known().pool());
        begun.may_begin = grant.shared && grant.threads > 1;
        begun.granted = grant.cpus;
        if (grant.shared)
                begun.cpus.clear();
        else if (may_begin)
                begun.cpus = grant.cpus;
        else
                begun.cpus &= grant.cpus;
}

void Occupancy::ended(const World&, const Resident& resident) {
        begun_.erase(resident.number);
        above_since_.erase(resident.number);
        broken_.erase(resident.number);
}

bool Occupancy::counts(const World& world, const Resident& resident) const {
        const auto& process = *resident.process;
        if (world.held(resident) == nullptr || !tells_the_truth(resident) ||
            process.occupied().empty() || !process.was_promised() || process.stopped())
                return false;
        const auto broken = broken_.find(resident.number);
        return broken == broken_.end() || broken->second != process.epoch();
}

/// The part of its team that is not where it has still to leave, or was let in beside others.
CpuMask Occupancy::settled(const World& world, const Resident& resident) const {
        const auto& granted = world.held(resident)->grant.cpus;
        const auto begun = begun_.find(resident.number);
        const auto settled = resident.process->occupied() & granted;
        return begun == begun_.end() ? settled : settled - begun->second.cpus;
}

void Occupancy::passes(const World& world, Time) {
        CpuMask granted;
        CpuMask seen;
        for (const auto& resident : world.residents) {
                if (!counts(world, resident))
                        continue;
                const auto& occupied = resident.process->occupied();
                const auto own = occupied & world.held(resident)->grant.cpus;
                if (own.intersects(granted)) {
                        find(world);
                        return;
                }
                granted |= own;
                seen |= occupied - own;
        }
        if (seen.empty())
                return;
        for (const auto& resident : world.residents)
                if (counts(world, resident) && settled(world, resident).intersects(seen)) {
                        find(world);
                        return;
                }
}

void Occupancy::find(const World& world) {
        for (const auto& first : world.residents)
                for (const auto& second : world.residents) {
                        if (first.number == second.number || !counts(world, first) ||
                            !counts(world, second))
                                continue;
                        const auto both = settled(world, first) & second.process->occupied() &
                                          world.machine.online();
                        if (!both.empty())
                                violated(world, "occupied-once",
                                         "the teams of " + name_of(first) + " and " +
                                                 name_of(second) + " both have {" +
                                                 governor::policy::format_cpu_list(both.to_set()) +
                                                 "}");
                }
}

}  // namespace simulation
