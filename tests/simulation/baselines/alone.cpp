// SPDX-License-Identifier: MIT
// The scenario with everything else taken away.
#include "simulation/baselines/alone.hpp"

#include "simulation/baselines/baselines.hpp"
#include "simulation/world/run.hpp"

#include <algorithm>

namespace simulation {

namespace {

class Watch final : public Observer {
public:
        void ended(const World& world, const Resident& resident) override {
                if (resident.process->finished())
                        end_ = world.now;
        }
        [[nodiscard]] std::optional<Time> end() const { return end_; }

private:
        std::optional<Time> end_;
};

bool ends_by_itself(const Program& program) {
        return program.regions > 0 && program.killed == kNever &&
               program.behaviour != Behaviour::Endless;
}

bool is_limited(const Program& program) {
        return program.max > 0 || program.cgroup || program.cpus || !program.tree.empty();
}

bool does_more_than_regions(const Program& program) {
        return program.setup.count() > 0 || program.serial.count() > 0 ||
               program.sleep.count() > 0 || !program.stopped.empty();
}

bool is_job(const Program& program) {
        return ends_by_itself(program) && !is_limited(program) &&
               !does_more_than_regions(program) && program.start.count() == 0 &&
               (program.every.count() == 0 || program.copies == 1) && program.nice == 0 &&
               program.behaviour == Behaviour::Honest;
}

}  // namespace

std::optional<Time> time_alone(const Scenario& scenario, std::size_t program) {
        if (!ends_by_itself(scenario.programs[program]))
                return std::nullopt;
        auto alone = scenario;
        alone.end = kLongest;
        alone.governor.period = std::chrono::seconds(60);
        alone.programs = {scenario.programs[program]};
        auto& only = alone.programs.front();
        only.copies = 1;
        only.start = Time{0};
        only.tree.clear();
        only.waits = false;
        alone.foreign.clear();
        alone.hotplug.clear();
        Watch watch;
        run(alone, {find_policy("equal")->decider, {&watch}});
        return watch.end();
}

std::vector<Job> closed_batch(const Scenario& scenario) {
        const bool is_open = !scenario.foreign.empty() || !scenario.hotplug.empty() ||
                             !scenario.rules.empty() || scenario.machine.pool ||
                             !scenario.machine.isolated.empty();
        if (is_open || !std::ranges::all_of(scenario.programs, is_job))
                return {};
        std::vector<Job> jobs;
        for (std::size_t p = 0; p < scenario.programs.size(); p++) {
                const auto& program = scenario.programs[p];
                const double region_s = std::chrono::duration<double>(program.region).count();
                jobs.insert(jobs.end(), program.copies,
                            {p, region_s * static_cast<double>(program.regions), program.speedup});
        }
        return jobs;
}

}  // namespace simulation
