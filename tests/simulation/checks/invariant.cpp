// SPDX-License-Identifier: MIT
// What several invariants need to know of processes.
#include "simulation/checks/invariant.hpp"

#include <algorithm>
#include <cstdio>

namespace simulation {

std::string Violation::text(const Scenario& scenario) const {
        char when[32];
        std::snprintf(when, sizeof when, "%.3f", std::chrono::duration<double>(at).count());
        return scenario.name + " at " + when + " s: " + std::string(invariant) + ": " + what;
}

std::string name_of(const Resident& resident) {
        const auto& process = *resident.process;
        return process.program().copies == 1
                       ? process.program().name
                       : process.program().name + "/" + std::to_string(process.copy() + 1);
}

bool is_hungry(const Resident& resident) {
        const auto& program = resident.process->program();
        return is_honest(resident) && program.setup.count() == 0 && program.serial.count() == 0 &&
               program.sleep.count() == 0 && program.spins && !resident.process->stopped();
}

bool is_young(const World& world, const Resident& resident) {
        return world.now - resident.process->started() < world.scenario.governor.fair.newcomer;
}

bool may_be_rigid(const World& world, const Resident& resident) {
        const auto* held = world.held(resident);
        const auto& process = *resident.process;
        if (held == nullptr || world.yields(resident))
                return false;
        if (process.program().behaviour == Behaviour::Boaster)  // claims the CPUs that it had first
                return true;
        const bool is_above = process.team() > held->grant.threads ||
                              !process.occupied().is_within(held->grant.cpus);
        return is_above && (!is_honest(resident) ||
                            process.region_length() >= world.scenario.governor.fair.handover_max);
}

bool may_be_rigid(const World& world) {
        return std::ranges::any_of(world.residents, [&](const Resident& resident) {
                return may_be_rigid(world, resident);
        });
}

bool all_may_run_everywhere(const World& world) {
        const auto& pool = world.known().pool();
        return std::ranges::all_of(world.residents, [&](const Resident& resident) {
                return !resident.client || pool.is_within(resident.process->allowed());
        });
}

Time settling_time(const World& world) {
        const auto& governor = world.scenario.governor;
        Time longest{0};
        for (const auto& resident : world.residents)
                if (is_honest(resident))
                        longest = std::max(longest, resident.process->region_length());
        return std::min(longest, Time(std::chrono::hours(1))) + governor.fair.newcomer +
               governor.fair.handover_max +
               2 * std::max<Time>(governor.period, std::chrono::seconds(1));
}

}  // namespace simulation
