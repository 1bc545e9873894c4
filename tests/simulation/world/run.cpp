// SPDX-License-Identifier: MIT
// Next-event simulation: between two events nothing changes, and everything is a straight line.
#include "simulation/world/run.hpp"

#include "simulation/world/counters.hpp"
#include "simulation/world/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace simulation {

namespace {

struct Arrival {
        Time at;
        std::size_t program;
        std::uint32_t copy;
};

std::vector<Arrival> arrivals_of(const Scenario& scenario) {
        std::vector<Arrival> arrivals;
        for (std::size_t p = 0; p < scenario.programs.size(); p++) {
                const auto& program = scenario.programs[p];
                for (std::uint32_t copy = 0; copy < program.copies; copy++) {
                        const auto at = program.start + program.every * copy;
                        if (at < scenario.end)
                                arrivals.push_back({at, p, copy});
                }
        }
        std::ranges::stable_sort(arrivals, {}, &Arrival::at);
        return arrivals;
}

CpuMask within(const std::optional<CpuSet>& cpus, CpuMask otherwise) {
        if (!cpus)
                return otherwise;
        auto narrowed = CpuMask(*cpus) & otherwise;
        return narrowed.empty() ? otherwise : narrowed;  // as cpusets and sched_setaffinity refuse
}

std::vector<CpuMask> effective_cpusets(const Scenario& scenario, const VirtualMachine& machine) {
        std::vector<CpuMask> cpusets;
        for (const auto& group : scenario.cgroups)
                cpusets.push_back(within(group.cpus, group.parent ? cpusets[*group.parent]
                                                                  : machine.possible()));
        return cpusets;
}

class Engine {
public:
        Engine(const Scenario& scenario, const RunOptions& options);
        void run();

private:
        [[nodiscard]] Time next_event() const;
        void pass_until(Time then);
        void plug();
        void arrive();
        void step_hogs();
        void step_processes();
        void look_at_foreign();
        void govern();
        void tell(const std::vector<ProgramId>& clients);
        void divide();
        void remove_gone();
        [[nodiscard]] bool is_over() const;
        [[nodiscard]] bool is_idle(const std::optional<std::size_t>& cgroup) const;
        [[nodiscard]] CpuMask allowed(const std::optional<std::size_t>& cgroup,
                                      const std::optional<CpuSet>& cpus) const;
        [[nodiscard]] governor::registry::Confinement confinement(const Process& process) const;

        template <class Call>
        void observe(Call call) {
                for (auto* observer : options_.observers)
                        call(*observer);
        }

        const Scenario& scenario_;
        RunOptions options_;
        World world_;
        std::vector<Arrival> arrivals_;
        std::size_t arrived_ = 0;
        std::size_t plugged_ = 0;
        Counters counters_;
        Counters foreign_;  // of foreign load alone
        Kernel kernel_;
        std::vector<Throttle> throttles_;
        std::vector<Threads> threads_;
        Division division_;
        double yielding_rate_ = 0;
        bool changed_ = true;  // who runs, or where
};

Engine::Engine(const Scenario& scenario, const RunOptions& options)
        : scenario_(scenario), options_(options), world_(scenario, options.decider),
          arrivals_(arrivals_of(scenario)) {
        for (const auto& group : scenario.cgroups)
                throttles_.push_back({group.parent, group.quota});
        for (const auto& foreign : scenario.foreign)
                world_.hogs.emplace_back(foreign, allowed(foreign.cgroup, foreign.cpus),
                                         is_idle(foreign.cgroup));
}

/// cpu.idle of the group or of one above it.
bool Engine::is_idle(const std::optional<std::size_t>& cgroup) const {
        for (auto at = cgroup; at; at = scenario_.cgroups[*at].parent)
                if (scenario_.cgroups[*at].idle)
                        return true;
        return false;
}

/// Who was put nowhere by anybody does not run on isolated CPUs.
CpuMask Engine::allowed(const std::optional<std::size_t>& cgroup,
                        const std::optional<CpuSet>& cpus) const {
        const auto& base = cgroup ? world_.cpusets[*cgroup] : world_.machine.possible();
        return cpus ? within(cpus, base) : within(world_.machine.usual().to_set(), base);
}

governor::registry::Confinement Engine::confinement(const Process& process) const {
        governor::registry::Confinement where{process.allowed(), {}, process.program().nice > 0};
        for (auto at = process.program().cgroup; at; at = scenario_.cgroups[*at].parent) {
                const auto& group = scenario_.cgroups[*at];
                std::optional<std::uint32_t> quota;
                if (group.quota)
                        quota = static_cast<std::uint32_t>(std::ceil(*group.quota));
                where.groups.push_back({group.name, quota});
        }
        where.groups.push_back({"", std::nullopt});
        return where;
}

Time Engine::next_event() const {
        Time at = std::min(scenario_.end, world_.governor.next());
        if (arrived_ < arrivals_.size())
                at = std::min(at, arrivals_[arrived_].at);
        if (plugged_ < scenario_.hotplug.size())
                at = std::min(at, scenario_.hotplug[plugged_].at);
        for (const auto& hog : world_.hogs)
                at = std::min(at, hog.next());
        for (const auto& resident : world_.residents)
                at = std::min(at, resident.process->next(world_.now));
        return std::max(at, world_.now);
}

void Engine::pass_until(Time then) {
        const auto span = then - world_.now;
        if (span.count() > 0) {
                observe([&](Observer& observer) { observer.passes(world_, span); });
                for (auto& resident : world_.residents)
                        resident.process->advance(span);
                counters_.advance(span, division_.busy, division_.niced, yielding_rate_);
                foreign_.advance(span, division_.foreign, {}, 0);
        }
        world_.now = then;
}

void Engine::plug() {
        for (; plugged_ < scenario_.hotplug.size() && scenario_.hotplug[plugged_].at <= world_.now;
             plugged_++) {
                world_.machine.set_online(scenario_.hotplug[plugged_].offline, false);
                world_.machine.set_online(scenario_.hotplug[plugged_].online, true);
                world_.governor.set_machine(world_.machine.governed(), world_.now);
                world_.disturbed = world_.foreign_disturbed = world_.now;
                changed_ = true;
        }
}

void Engine::arrive() {
        for (; arrived_ < arrivals_.size() && arrivals_[arrived_].at <= world_.now; arrived_++) {
                const auto& arrival = arrivals_[arrived_];
                const auto& program = scenario_.programs[arrival.program];
                auto process = std::make_unique<Process>(program, arrival.program, arrival.copy,
                                                         allowed(program.cgroup, program.cpus),
                                                         is_idle(program.cgroup), world_.now);
                std::optional<ProgramId> client;
                if (process->governed())
                        client = world_.governor.join(*process, confinement(*process), world_.now);
                if (!client) {
                        process->begin_alone();
                        world_.foreign_disturbed = world_.now;
                }
                world_.residents.push_back({arrived_, std::move(process), client});
                world_.disturbed = world_.now;
                changed_ = true;
                observe([&](Observer& observer) {
                        observer.started(world_, world_.residents.back());
                });
        }
}

void Engine::step_hogs() {
        for (auto& hog : world_.hogs) {
                if (hog.next() > world_.now)
                        continue;
                hog.step(world_.now);
                world_.disturbed = world_.foreign_disturbed = world_.now;
                changed_ = true;
        }
}

void Engine::step_processes() {
        bool gone = false;
        for (auto& resident : world_.residents) {
                auto& process = *resident.process;
                const bool was_stopped = process.stopped();
                if (process.step(world_.now, world_.held(resident)))
                        changed_ = true;
                if (process.stopped() != was_stopped)
                        world_.disturbed = world_.now;
                gone = gone || process.phase() == Phase::Gone;
        }
        if (gone)
                remove_gone();
}

void Engine::remove_gone() {
        for (const auto& resident : world_.residents) {
                if (resident.process->phase() != Phase::Gone)
                        continue;
                if (resident.client) {
                        const std::chrono::duration<double> used(resident.process->cpu_s());
                        world_.short_lived.add(world_.now - resident.process->started(),
                                               std::chrono::duration_cast<Time>(used),
                                               time_point(world_.now));
                }
                if (resident.client)
                        world_.governor.leave(*resident.client, world_.now);
                else
                        world_.foreign_disturbed = world_.now;
                observe([&](Observer& observer) { observer.ended(world_, resident); });
        }
        std::erase_if(world_.residents, [](const Resident& resident) {
                return resident.process->phase() == Phase::Gone;
        });
        world_.disturbed = world_.now;
}

/// The truth, as often as the governor guesses.
void Engine::look_at_foreign() {
        const auto& sample =
                foreign_.read(world_.machine.online(), world_.now, scenario_.governor.period);
        world_.foreign.add(sample, {}, world_.machine.governed().pool(), time_point(world_.now));
        world_.short_lived.update(time_point(world_.now));
}

void Engine::govern() {
        auto& governor = world_.governor;
        if (governor.next() > world_.now)
                return;
        if (governor.samples_at(world_.now)) {
                const auto& sample = counters_.read(world_.machine.online(), world_.now,
                                                    scenario_.governor.period);
                governor.sample(sample, counters_.yielding_millicpu(), world_.now);
                look_at_foreign();
        }
        if (!governor.wake(world_.now))
                return;
        observe([&](Observer& observer) { observer.deciding(world_); });
        governor.decide(world_.now);
        tell(governor.changed());
        observe([&](Observer& observer) { observer.decided(world_); });
}

void Engine::tell(const std::vector<ProgramId>& clients) {
        for (const auto id : clients) {
                const auto resident = std::ranges::find_if(
                        world_.residents, [&](const Resident& one) { return one.client == id; });
                const auto* held = world_.governor.held(id);
                if (resident != world_.residents.end() && held != nullptr &&
                    resident->process->told(*held))
                        changed_ = true;
        }
}

/// Anew, when somebody began or stopped running.
void Engine::divide() {
        if (!changed_)
                return;
        changed_ = false;
        threads_.clear();
        for (const auto& resident : world_.residents)
                if (auto threads = resident.process->threads()) {
                        threads->foreign = !resident.client && !threads->niced;
                        threads_.push_back(std::move(*threads));
                }
        for (const auto& hog : world_.hogs)
                if (auto threads = hog.threads())
                        threads_.push_back(std::move(*threads));
        division_ = kernel_.divide(threads_, throttles_, world_.machine.online());
        std::size_t next = 0;
        for (auto& resident : world_.residents)
                resident.process->set_rate(resident.process->runs() ? division_.rate[next++] : 0.0);
        world_.foreign_rate = yielding_rate_ = 0;
        for (const auto& hog : world_.hogs) {
                if (!hog.busy())
                        continue;
                world_.foreign_rate += division_.rate[next];
                yielding_rate_ += hog.yields() ? division_.rate[next] : 0;
                next++;
        }
}

bool Engine::is_over() const {
        if (world_.now >= scenario_.end)
                return true;
        return arrived_ == arrivals_.size() && world_.residents.empty() &&
               !scenario_.programs.empty();
}

void Engine::run() {
        while (!is_over()) {
                pass_until(next_event());
                plug();
                step_hogs();
                step_processes();
                arrive();
                govern();
                divide();
        }
        observe([&](Observer& observer) { observer.over(world_); });
}

}  // namespace

World::World(const Scenario& a_scenario, const Decider& decider)
        : scenario(a_scenario), machine(a_scenario.machine),
          governor(a_scenario, decider, machine.governed()),
          cpusets(effective_cpusets(a_scenario, machine)) {}

void run(const Scenario& scenario, const RunOptions& options) { Engine(scenario, options).run(); }

}  // namespace simulation
