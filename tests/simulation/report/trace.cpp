// SPDX-License-Identifier: MIT
// Steps are noted where something differs from the step before.
#include "simulation/report/trace.hpp"

#include <algorithm>
#include <utility>

namespace simulation {

namespace {

template <class Step>
const Step* last_until(const std::vector<Step>& steps, Time at) {
        const auto after = std::ranges::upper_bound(steps, at, {}, &Step::at);
        return after == steps.begin() ? nullptr : &*std::prev(after);
}

bool differ(const GrantStep& step, const governor::policy::fair::Grant& grant) {
        return step.threads != grant.threads || step.cpus != grant.cpus ||
               step.shared != grant.shared || step.reason != grant.reason;
}

}  // namespace

const GrantStep* Life::granted(Time at) const {
        return ended && *ended <= at ? nullptr : last_until(grants, at);
}

const TeamStep* Life::ran(Time at) const {
        return ended && *ended <= at ? nullptr : last_until(teams, at);
}

const Life* Trace::find(std::string_view program, std::uint32_t copy) const {
        for (const auto& life : lives)
                if (life.copy == copy && life.name.substr(0, life.name.find('/')) == program)
                        return &life;
        return nullptr;
}

std::uint32_t Trace::granted(std::string_view program, Time at, std::uint32_t copy) const {
        const auto* life = find(program, copy);
        const auto* step = life != nullptr ? life->granted(at) : nullptr;
        return step != nullptr ? step->threads : 0;
}

void Recorder::started(const World& world, const Resident& resident) {
        const auto& program = resident.process->program();
        Life life;
        life.program = resident.process->program_index();
        life.copy = resident.process->copy();
        life.name = program.name;
        if (program.copies > 1)
                life.name += "/" + std::to_string(life.copy + 1);
        life.user = program.user;
        life.governed = resident.client.has_value();
        life.started = world.now;
        life_of_[resident.number] = trace_.lives.size();
        trace_.lives.push_back(std::move(life));
}

void Recorder::ended(const World& world, const Resident& resident) {
        auto& life = trace_.lives[life_of_.at(resident.number)];
        life.ended = world.now;
        life.finished = resident.process->finished();
        life.cpu_s = resident.process->cpu_s();
}

void Recorder::decided(const World& world) {
        trace_.decisions_taken++;
        const auto& decision = world.last();
        if (trace_.decisions.empty() || trace_.decisions.back().cpus != decision.cpus ||
            trace_.decisions.back().foreign != decision.foreign)
                trace_.decisions.push_back({world.now, decision.cpus, decision.foreign});
        for (const auto& resident : world.residents) {
                const auto* held = world.held(resident);
                if (held == nullptr)
                        continue;
                auto& grants = trace_.lives[life_of_.at(resident.number)].grants;
                const auto& grant = held->grant;
                if (grants.empty() || differ(grants.back(), grant))
                        grants.push_back(
                                {world.now, grant.threads, grant.cpus, grant.shared, grant.reason});
        }
}

void Recorder::note_team(const World& world, const Resident& resident) {
        const auto& process = *resident.process;
        auto& teams = trace_.lives[life_of_.at(resident.number)].teams;
        const auto team = process.phase() == Phase::Region   ? process.team()
                          : process.phase() == Phase::Serial ? 1U
                                                             : 0U;
        if (!teams.empty() && teams.back().phase == process.phase() && teams.back().team == team &&
            teams.back().stopped == process.stopped() &&
            teams.back().occupied == process.occupied())
                return;
        teams.push_back({world.now, process.phase(), process.stopped(), team, process.occupied()});
}

void Recorder::note_disturbance(const World& world) {
        if (trace_.disturbances.empty() || trace_.disturbances.back() != world.disturbed)
                trace_.disturbances.push_back(world.disturbed);
}

void Recorder::passes(const World& world, Time) {
        note_disturbance(world);
        for (const auto& resident : world.residents)
                note_team(world, resident);
}

void Recorder::over(const World& world) {
        trace_.end = world.now;
        note_disturbance(world);
        for (const auto& resident : world.residents)
                trace_.lives[life_of_.at(resident.number)].cpu_s = resident.process->cpu_s();
}

Trace record(const Scenario& scenario, RunOptions options) {
        Recorder recorder;
        options.observers.push_back(&recorder);
        run(scenario, options);
        return recorder.take();
}

}  // namespace simulation
