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
                if (held->grant.shared || resident.process->stopped())
                        lent_by_[resident.number] = resident.process->epoch();
                if (resident.process->occupied().is_within(held->grant.cpus))
                        above_since_.erase(resident.number);
                else
                        above_since_.try_emplace(resident.number, world.now);
        }
}

void Occupancy::ended(const World&, const Resident& resident) {
        above_since_.erase(resident.number);
        lent_by_.erase(resident.number);
}

bool Occupancy::counts(const World& world, const Resident& resident) const {
        const auto* held = world.held(resident);
        if (held == nullptr || !tells_the_truth(resident) || resident.process->occupied().empty() ||
            !resident.process->was_promised() ||
            held->grant.reason.limit == governor::policy::fair::Limit::Ungoverned)
                return false;
        const auto lent = lent_by_.find(resident.number);
        if (resident.process->stopped() ||
            (lent != lent_by_.end() && lent->second == resident.process->epoch()))
                return false;
        const auto above = above_since_.find(resident.number);
        return above == above_since_.end() ||
               world.now - above->second < world.scenario.governor.fair.handover_max;
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
