// SPDX-License-Identifier: MIT
// A team's CPUs are those of the grant that its region began with.
#include "simulation/checks/occupancy.hpp"

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

void Occupancy::ended(const World&, const Resident& resident) {
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

void Occupancy::passes(const World& world, Time) {
        seen_.clear();
        for (const auto& resident : world.residents) {
                if (!counts(world, resident))
                        continue;
                if (resident.process->occupied().intersects(seen_)) {
                        find(world);
                        return;
                }
                seen_ |= resident.process->occupied();
        }
}

void Occupancy::find(const World& world) {
        for (const auto& first : world.residents)
                for (const auto& second : world.residents) {
                        if (first.number >= second.number || !counts(world, first) ||
                            !counts(world, second))
                                continue;
                        const auto both = first.process->occupied() & second.process->occupied() &
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
