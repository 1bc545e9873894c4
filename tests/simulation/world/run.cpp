// SPDX-License-Identifier: MIT
// Next-event simulation: between two events nothing changes, and everything is a straight line.
#include "simulation/world/run.hpp"

#include "simulation/world/contention.hpp"
#include "simulation/world/counters.hpp"
#include "simulation/world/kernel.hpp"
#include "simulation/world/scan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
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

std::uint32_t user_of(const Program& program) { return program.user; }
std::uint32_t user_of(const Foreign& foreign) { return foreign.user.value_or(0); }

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
        void govern();
        void sample();
        void tick();
        void carry_out();
        void tell(const governor::registry::Effects::Word& word);
        [[nodiscard]] std::optional<ProgramId> tree_of(const Program& program) const;
        [[nodiscard]] std::optional<ProgramId> join(const Process& process);
        void leave(ProgramId id);
        void divide();
        void add_threads();
        void weigh_as_one(std::size_t first);
        [[nodiscard]] bool are_alike() const;
        void set_rates();
        template <class Runner>
        void see(bool is_seen, const Runner& runner, double rate);
        [[nodiscard]] double foreign_load() const;
        [[nodiscard]] double speed(std::size_t i) const;
        void share_memory();
        void remove_gone();
        [[nodiscard]] bool is_over() const;
        [[nodiscard]] bool is_idle(const std::optional<std::size_t>& cgroup) const;
        [[nodiscard]] CpuMask allowed(const std::optional<std::size_t>& cgroup,
                                      const std::optional<CpuSet>& cpus) const;

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
        Scan scan_;
        Kernel kernel_;
        std::vector<Throttle> throttles_;
        std::vector<Threads> threads_;
        Division division_;
        std::vector<double> core_speeds_;
        double yielding_rate_ = 0;
        std::vector<Seen> seen_;
        Time next_sample_{0};
        Time wake_at_ = kNever;  // as the cycle says
        Time tick_at_ = kNever;  // likewise
        CpuMask online_;         // at the last sample
        bool changed_ = true;    // the threads that run, or their CPUs
};

Engine::Engine(const Scenario& scenario, const RunOptions& options)
        : scenario_(scenario), options_(options),
          world_(scenario, options.decider,
                 [this] { observe([this](Observer& observer) { observer.deciding(world_); }); }),
          arrivals_(arrivals_of(scenario)), online_(world_.machine.online()) {
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

/// A process that was not bound to CPUs does not run on isolated ones.
CpuMask Engine::allowed(const std::optional<std::size_t>& cgroup,
                        const std::optional<CpuSet>& cpus) const {
        const auto& base = cgroup ? world_.cpusets[*cgroup] : world_.machine.possible();
        return cpus ? within(cpus, base) : within(world_.machine.usual().to_set(), base);
}

Time Engine::next_event() const {
        Time at = std::min({scenario_.end, next_sample_, wake_at_, tick_at_});
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
                scan_.advance(span, seen_);
        }
        world_.now = then;
}

void Engine::plug() {
        for (; plugged_ < scenario_.hotplug.size() && scenario_.hotplug[plugged_].at <= world_.now;
             plugged_++) {
                world_.machine.set_online(scenario_.hotplug[plugged_].offline, false);
                world_.machine.set_online(scenario_.hotplug[plugged_].online, true);
                world_.disturbed = world_.foreign_disturbed = world_.now;
                changed_ = true;
        }
}

/// The tree of the residents that have its user and tree name and are in one.
std::optional<ProgramId> Engine::tree_of(const Program& program) const {
        for (const auto& resident : world_.residents) {
                const auto& other = resident.process->program();
                if (!program.tree.empty() && other.tree == program.tree &&
                    other.user == program.user && resident.tree)
                        return resident.tree;
        }
        return std::nullopt;
}

std::optional<ProgramId> Engine::join(const Process& process) {
        const auto& program = process.program();
        governor::registry::Identity identity;
        identity.pid = static_cast<std::uint32_t>(world_.cycle.programs().size() + 1);
        identity.account.uid = program.user;
        identity.uid = program.user;
        identity.label = program.label.empty() ? program.name : program.label;
        identity.executable = "/usr/bin/" + program.name;
        identity.job = program.job;
        identity.cpu_time = Time{0};
        identity.wants_tree = !program.tree.empty();
        identity.tree = tree_of(program).value_or(ProgramId{});
        governor::registry::Request request;
        request.min = program.min;
        request.max = program.max;
        request.weight = program.weight;
        request.scheduling_class = program.scheduling_class;
        request.keeps = program.behaviour == Behaviour::Keeper;
        request.can_wait = program.waits || request.keeps;
        request.sleeps = program.sleeps;
        request.yields = program.yields;
        request.start_only = program.behaviour == Behaviour::StartOnly;
        world_.facts.set_running(static_cast<std::uint32_t>(std::ceil(foreign_load())));
        const auto joined = world_.cycle.joined(identity, request, world_.facts.where(process), {},
                                                time_point(world_.now));
        if (joined.refusal)
                return std::nullopt;
        world_.facts.add(joined.id, process);
        carry_out();
        return joined.id;
}

void Engine::arrive() {
        for (; arrived_ < arrivals_.size() && arrivals_[arrived_].at <= world_.now; arrived_++) {
                const auto& arrival = arrivals_[arrived_];
                const auto& program = scenario_.programs[arrival.program];
                auto process = std::make_unique<Process>(program, arrival.program, arrival.copy,
                                                         allowed(program.cgroup, program.cpus),
                                                         is_idle(program.cgroup), world_.now,
                                                         scenario_.machine.runtime);
                std::optional<ProgramId> client;
                if (process->governed())
                        client = join(*process);
                if (!client) {
                        process->begin_alone();
                        world_.foreign_disturbed = world_.now;
                }
                auto tree = tree_of(program);
                if (client && !program.tree.empty() && !tree)
                        tree = client;
                world_.residents.push_back(
                        {arrived_, std::move(process), client, client ? tree : std::nullopt});
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

void Engine::leave(ProgramId id) {
        for (auto& resident : world_.residents)
                if (resident.tree == id)
                        resident.tree.reset();
        changed_ = true;
        world_.cycle.left(id, time_point(world_.now));
        world_.facts.remove(id);
        carry_out();
}

void Engine::remove_gone() {
        for (const auto& resident : world_.residents) {
                if (resident.process->phase() != Phase::Gone)
                        continue;
                if (resident.client) {
                        const std::chrono::duration<double> used(resident.process->cpu_s());
                        world_.short_lived[resident.process->program().user].add(
                                world_.now - resident.process->started(),
                                std::chrono::duration_cast<Time>(used), time_point(world_.now));
                }
                if (resident.client)
                        leave(*resident.client);
                else
                        world_.foreign_disturbed = world_.now;
                observe([&](Observer& observer) { observer.ended(world_, resident); });
        }
        std::erase_if(world_.residents, [](const Resident& resident) {
                return resident.process->phase() == Phase::Gone;
        });
        world_.disturbed = world_.now;
}

/// The daemon has a timer for samples, and two for what its cycle wants.
void Engine::govern() {
        const auto decisions = world_.cycle.decisions();
        if (tick_at_ <= world_.now)
                tick();
        if (next_sample_ <= world_.now)
                sample();
        if (wake_at_ <= world_.now)
                world_.cycle.woke(time_point(world_.now));
        carry_out();
        if (world_.cycle.decisions() != decisions)
                observe([&](Observer& observer) { observer.decided(world_); });
}

void Engine::sample() {
        const auto& online = world_.machine.online();
        const auto& sample = counters_.read(online, world_.now, scenario_.governor.period);
        for (auto& [user, programs] : world_.short_lived)
                programs.update(time_point(world_.now));
        if (online != online_) {
                online_ = online;
                world_.cycle.plugged(world_.machine.governed());
                world_.disturbed = world_.foreign_disturbed = world_.now;
        }
        world_.facts.set_yielding_millicpu(counters_.yielding_millicpu());
        world_.facts.set_ungoverned(scan_.take());
        world_.cycle.sampled(sample, time_point(world_.now));
        next_sample_ = world_.now + scenario_.governor.period;
        carry_out();
}

void Engine::tick() {
        world_.cycle.ticked(counters_.tick(world_.machine.online(), world_.now),
                            time_point(world_.now));
        carry_out();
}

void Engine::carry_out() {
        const auto effects = world_.cycle.take_effects();
        for (const auto& word : effects.publish)
                tell(word);
        wake_at_ = virtual_time(effects.wake_at);
        tick_at_ = virtual_time(effects.tick_at);
}

void Engine::tell(const governor::registry::Effects::Word& word) {
        const auto resident = std::ranges::find_if(
                world_.residents, [&](const Resident& one) { return one.client == word.id; });
        if (resident == world_.residents.end())
                return;
        const auto* held = world_.held(*resident);
        if (held != nullptr && resident->process->told(*held, word.grant.threads))
                changed_ = true;
        changed_ = changed_ || resident->tree;  // it may yield from now on, or no longer
}

/// Divides anew when a thread began or stopped running.
void Engine::divide() {
        if (!changed_)
                return;
        changed_ = false;
        add_threads();
        division_ = kernel_.divide(threads_, throttles_, world_.machine.online());
        if (scenario_.machine.shared_core < 1)
                core_speeds_ = core_speeds(scenario_.machine, division_.busy);
        set_rates();
        world_.foreign_load = foreign_load();
        share_memory();
}

/// Those at work, then those that spin on, of each resident; then the hogs'.
void Engine::add_threads() {
        threads_.clear();
        const auto add = [this](const Resident& resident, std::optional<Threads> threads) {
                if (!threads)
                        return;
                threads->foreign = !resident.client;
                if (world_.yields(resident))
                        threads->weight = std::min(threads->weight, idle_weight());
                threads_.push_back(std::move(*threads));
        };
        for (const auto& resident : world_.residents) {
                const auto first = threads_.size();
                add(resident, resident.process->threads());
                add(resident, resident.process->spinning());
                weigh_as_one(first);
        }
        for (const auto& hog : world_.hogs)
                if (auto threads = hog.threads()) {
                        threads_.push_back(std::move(*threads));
                        weigh_as_one(threads_.size() - 1);
                }
}

/// Those from `first` on, where the kernel groups a session's threads.
void Engine::weigh_as_one(std::size_t first) {
        const auto process = std::span(threads_).subspan(first);
        if (!scenario_.machine.autogroup || process.empty() || process.front().cgroup)
                return;
        double count = 0;
        for (const auto& threads : process)
                count += threads.count;
        for (auto& threads : process)
                threads.weight /= count;
}

/// All threads weigh the same, may go anywhere, and always want to run.
bool Engine::are_alike() const {
        return std::ranges::all_of(threads_, [&](const Threads& threads) {
                return threads.weight == threads_[0].weight && threads.cpus == threads_[0].cpus &&
                       threads.appetite >= 1;
        });
}

void Engine::set_rates() {
        const bool alike = are_alike();
        std::size_t next = 0;
        seen_.clear();
        for (auto& resident : world_.residents) {
                auto& process = *resident.process;
                process.set_rate(0);
                process.set_spinning_rate(0);
                const bool is_seen = !resident.client && !process.is_idle();
                if (process.runs()) {
                        see(is_seen, process.program(), division_.rate[next]);
                        process.set_rate(division_.rate[next], speed(next), alike);
                        next++;
                }
                if (process.spins_on()) {
                        see(is_seen, process.program(), division_.rate[next]);
                        process.set_spinning_rate(division_.rate[next++]);
                }
        }
        world_.foreign_rate = yielding_rate_ = 0;
        for (const auto& hog : world_.hogs) {
                if (!hog.busy())
                        continue;
                world_.foreign_rate += division_.rate[next];
                yielding_rate_ += hog.yields() ? division_.rate[next] : 0;
                see(!hog.yields() && hog.foreign().user, hog.foreign(), division_.rate[next]);
                next++;
        }
}

/// A scan sees whose it is, unless it is hidden or yields.
template <class Runner>
void Engine::see(bool is_seen, const Runner& runner, double rate) {
        if (is_seen)
                seen_.push_back({user_of(runner), runner.nice, rate});
}

/// Niced threads count for what they take from one of nice 0 on the same CPU, as far as scans see
/// how niced they are.
double Engine::foreign_load() const {
        double niced = 0;
        double taken = 0;
        for (const auto& one : seen_) {
                niced += one.nice > 0 ? one.rate : 0;
                taken += one.nice > 0 ? one.rate * niced_part(one.nice) : 0;
        }
        const auto part = niced > 0 ? taken / niced : 0;
        auto load = std::accumulate(division_.foreign.begin(), division_.foreign.end(), 0.0);
        for (std::size_t cpu = 0; cpu < division_.busy.size(); cpu++) {
                const auto burned = division_.niced_foreign[cpu];
                const auto left = 1 - division_.busy[cpu] + division_.niced[cpu];
                load += left > 0 ? burned * std::min(1.0, part / left) : 0;
        }
        return load;
}

/// The speed of threads [i] in the last division.
double Engine::speed(std::size_t i) const {
        return core_speeds_.empty() ? 1 : kernel_.mean(i, core_speeds_);
}

/// All that take memory bandwidth lose the same part of their pace where there is too little.
void Engine::share_memory() {
        double wanted = 0;
        for (const auto& resident : world_.residents)
                wanted += resident.process->bandwidth();
        const double speed = memory_speed(wanted);
        for (auto& resident : world_.residents)
                if (speed < 1 && resident.process->bandwidth() > 0)
                        resident.process->slow_down(speed);
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

World::World(const Scenario& a_scenario, const Decider& a_decider, std::function<void()> deciding)
        : scenario(a_scenario), machine(a_scenario.machine), decider(a_decider),
          decide(decider.begin != nullptr ? decider.begin(scenario) : decider.decide),
          facts(a_scenario),
          cycle(facts, facts, time_point(now), {},
                [this, deciding = std::move(deciding)](const auto& settings, const auto& told) {
                        deciding();
                        return decide(settings, told);
                }),
          cpusets(effective_cpusets(a_scenario, machine)) {
        facts.follow(cycle.programs());
        const auto& governor = a_scenario.governor;
        cycle.configured({governor.fair, a_scenario.rules, false,
                          std::chrono::duration_cast<std::chrono::milliseconds>(governor.period)},
                         machine.governed(), time_point(now));
}

const Held* World::held(const Resident& resident) const {
        const auto* program = resident.client ? cycle.programs().find(*resident.client) : nullptr;
        return program != nullptr ? program->held() : nullptr;
}

bool World::turns_with_tree(const Resident& resident) const {
        for (const auto& holder : residents) {
                if (!resident.tree || holder.client != resident.tree)
                        continue;
                const auto* program = cycle.programs().find(*holder.client);
                const auto& asked = holder.process->program();
                return asked.yields && program != nullptr && !program->is_ignored() &&
                       asked.scheduling_class == governor::policy::fair::Class::Batch;
        }
        return false;
}

void run(const Scenario& scenario, const RunOptions& options) { Engine(scenario, options).run(); }

}  // namespace simulation
