// SPDX-License-Identifier: MIT
// What is known of each client, put together.
#include "registry/client_state.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace governor::registry {

namespace {

std::uint32_t rounded_cpus(std::uint32_t millicpu) { return (millicpu + 500) / 1000; }

/// Anybody can make groups, as deep and as many as he likes; those without a quota say nothing.
Confinement with_quotas_only(Confinement where) {
        std::erase_if(where.groups, [](const auto& group) { return !group.quota; });
        return where;
}

/// Time that a client could have had: of a CPU that was idle, or busy with what yields to it. A CPU
/// whose idle time is not known counts as idle.
std::uint32_t idle_on(const policy::Sample& sample, const policy::CpuMask& cpus) {
        if (sample.warming_up)
                return std::numeric_limits<std::uint32_t>::max();
        std::uint32_t permyriad = 0;
        for (const auto& cpu : sample.cpus)
                if (cpus.contains(cpu.cpu))
                        permyriad += std::min(policy::kPermyriad,
                                              cpu.idle_permyriad.value_or(policy::kPermyriad) +
                                                      cpu.nice_permyriad);
        return permyriad / 10;
}

}  // namespace

Clients::Clients(const LeaseLimits& limits, std::vector<fair::Rule> rules)
        : limits_(limits), rules_(std::move(rules)) {}
Clients::Clients(Clients&&) noexcept = default;
Clients& Clients::operator=(Clients&&) noexcept = default;
Clients::~Clients() = default;

Clients::State* Clients::find(ProgramId id) {
        const auto found = clients_.find(id);
        return found != clients_.end() ? found->second.get() : nullptr;
}

Refusal Clients::refusal(const Account& account) const {
        if (clients_.size() >= limits_.leases)
                return Refusal::TooMany;
        const auto held = leases_.find(account);
        if (!account.is_root() && held != leases_.end() && held->second >= limits_.per_account)
                return Refusal::TooManyOfAccount;
        return Refusal::None;
}

Clients::Joined Clients::join(const Identity& identity, const Request& request,
                              const Confinement& where, TimePoint now) {
        auto state = std::make_unique<State>();
        state->joined = now;
        state->identity = identity;
        if (const auto refused = refusal(identity.account); refused != Refusal::None) {
                history_.add(state->event(EventKind::Refused, now));
                return {refused};
        }
        const auto id = state->id = ProgramId{++last_id_};
        state->follow(rules_);
        state->request = request;
        state->occupancy.set_late_after(handover_max_);
        state->where = with_quotas_only(where);
        state->limits = evidence::RequestLimits(request.max, where.cpus);
        state->groups = cgroups_.enter(state->where.groups);
        const bool has_group = !identity.job.empty() || identity.process_group > 0;
        state->gang = gangs_.enter({identity.account, identity.job,
                                    identity.job.empty() ? identity.process_group : 0,
                                    has_group ? 0 : last_id_},
                                   now);
        if (identity.cpu_time)
                state->burn.begin(*identity.cpu_time, now);
        leases_[identity.account]++;
        history_.add(state->event(EventKind::Joined, now));
        clients_.append(id, std::move(state));
        return {Refusal::None, id};
}

void Clients::set_rules(std::vector<fair::Rule> rules) {
        rules_ = std::move(rules);
        for (auto& [id, state] : clients_)
                state->follow(rules_);
}

void Clients::set_handover_max(std::chrono::milliseconds handover_max) {
        handover_max_ = handover_max;
        for (auto& [id, state] : clients_)
                state->occupancy.set_late_after(handover_max);
}

void Clients::claim(ProgramId id, const policy::CpuMask& cpus, TimePoint settled, TimePoint now) {
        auto* state = find(id);
        if (cpus.empty() || state == nullptr || state->ignored() ||
            state->occupancy.held() != nullptr)
                return;
        fair::Grant grant;
        grant.id = id;
        grant.cpus = cpus & state->where.cpus;
        for (const auto& [other, holder] : clients_)
                if (const auto* held = holder->occupancy.held(); held != nullptr && held->is_own())
                        grant.cpus -= held->grant.cpus;
        grant.threads = std::max(grant.cpus.count(), 1U);
        state->had = grant.threads;
        state->settled = settled;
        settled_ = std::max(settled_, settled);
        if (!grant.cpus.empty())
                (void)state->occupancy.grant(grant, now);
}

void Clients::runs(ProgramId id, std::string executable) {
        if (auto* state = find(id))
                state->identity.executable = std::move(executable);
}

void Clients::leave(ProgramId id, std::optional<std::chrono::nanoseconds> cpu_time, TimePoint now) {
        auto* state = find(id);
        if (state == nullptr)
                return;
        if (cpu_time)
                state->add_reading(*cpu_time, samples_.previous(), now);
        const auto& where = state->where;
        auto spans = state->burn.spans();
        const auto since = spans.empty() ? state->joined : spans.back().end;
        spans.push_back({since, now, state->presumably_used(since, now)});
        auto used = std::chrono::nanoseconds{0};
        for (const auto& span : spans)
                used += span.used;
        departed_.add({where.cpus, where.niced, std::move(spans)});
        short_lived_[state->identity.account].add(now - state->joined, used, now);
        history_.add(state->event(EventKind::Left, now));
        cgroups_.leave(where.groups);
        gangs_.leave(state->gang);
        if (--leases_[state->identity.account] == 0)
                leases_.erase(state->identity.account);
        clients_.erase(id);
}

void Clients::request(ProgramId id, const Request& request, TimePoint now) {
        auto* state = find(id);
        if (state == nullptr)
                return;
        const auto before = std::exchange(state->request, request);
        state->request.start_only = before.start_only;
        state->request.can_wait = before.can_wait;
        state->ask_for_limits(now);
}

Orders::Outcome Clients::order(ProgramId id, const Order& order, Authority by, std::uint32_t uid,
                               TimePoint now) {
        auto* state = find(id);
        if (state == nullptr)
                return {};
        const auto outcome = state->orders.take(order, by, uid, state->rule);
        if (!outcome.changed)
                return outcome;
        state->ask_for_limits(now);
        auto ordered = state->event(EventKind::Ordered, now);
        ordered.order = order;
        ordered.by = uid;
        history_.add(ordered);
        return outcome;
}

void Clients::confine(ProgramId id, const Confinement& where, TimePoint now) {
        auto* state = find(id);
        if (state == nullptr)
                return;
        auto next = with_quotas_only(where);
        auto entered = cgroups_.enter(next.groups);  // first: groups of both must not go
        cgroups_.leave(state->where.groups);
        state->groups = std::move(entered);
        state->where = std::move(next);
        state->ask_for_limits(now);
}

bool Clients::report(ProgramId id, const evidence::Report& report, TimePoint now) {
        auto* state = find(id);
        if (state == nullptr || state->ignored())
                return false;
        const bool was_above = state->occupancy.above_since().has_value();
        state->progress.report(report.progress_done, report.progress_total,
                               gangs_.served(state->gang, now));
        if (state->takes_turns())
                state->note_pace(report, now);
        const auto effect = state->occupancy.report(report, state->where.cpus.count(), now);
        const bool woke = effect.began && state->demand.idle();
        if (effect.began)
                state->demand.woke(now);
        return effect.gave_back || woke || (was_above && !state->occupancy.above_since());
}

bool Clients::is_waited_for(ProgramId id) const {
        const auto found = clients_.find(id);
        if (found == clients_.end() || found->second->ignored())
                return false;
        const auto& state = *found->second;
        return state.demand.idle() || state.occupancy.above_since() ||
               !state.occupancy.lingering().empty();
}

void Clients::measured(ProgramId id, std::chrono::nanoseconds cpu_time, bool stopped,
                       TimePoint now) {
        samples_.add(now);
        auto* state = find(id);
        if (state == nullptr)
                return;
        auto& occupancy = state->occupancy;
        state->add_reading(cpu_time, samples_.previous(), now);
        const auto rate = state->burn.judged();
        if (rate)
                occupancy.burned(rounded_cpus(rate->millicpu), rounded_cpus(rate->excess_millicpu),
                                 rate->since, now);
        occupancy.set_stopped(stopped, now);
        // Who never reports may be in a region at any time. Who has waited for its turn
        // since then wants what it wanted before.
        const bool was_parked = std::exchange(state->was_parked, state->parked());
        if (stopped || (rate && !was_parked))
                state->usage = {rate ? rate->granted : occupancy.knows_of(),
                                rate ? rate->millicpu : 0,
                                occupancy.in_region() || !occupancy.reported(), stopped};
}

bool Clients::may_be_light(ProgramId id, TimePoint now) {
        auto* state = find(id);
        const auto* held = state != nullptr ? state->occupancy.held() : nullptr;
        if (held == nullptr || state->ignored())
                return false;
        if (held->grant.parked) {
                state->low_use.pause();
                return false;
        }
        const auto rate = state->burn.judged();
        if (rate)
                state->low_use.burned(rate->millicpu);
        if (held->grant.threads == 1 && rate && rate->millicpu <= evidence::LowUse::kHeavy_millicpu)
                return !state->low_use.may_wait(rate->millicpu, now);
        state->low_use.pause();
        return false;
}

void Clients::measured(ProgramId id, const std::optional<evidence::LowUse::Reading>& reading,
                       TimePoint now) {
        auto* state = find(id);
        if (state == nullptr)
                return;
        if (reading)
                state->low_use.add(*reading, now);
        else
                state->low_use.unknown();
}

bool Clients::may_fall_silent(ProgramId id) const {
        const auto found = clients_.find(id);
        return found != clients_.end() && found->second->has_to_lend();
}

bool Clients::fell_silent(ProgramId id, std::chrono::nanoseconds cpu_time) {
        auto* state = find(id);
        if (state == nullptr || !state->has_to_lend())
                return false;
        const bool was_silent = std::exchange(state->silent, state->last_seen_at == cpu_time);
        state->last_seen_at = cpu_time;
        return state->silent && !was_silent;
}

void Clients::stopped(ProgramId id, TimePoint now) {
        auto* state = find(id);
        if (state == nullptr)
                return;
        state->occupancy.set_stopped(true, now);
        state->demand.stopped(now);
}

void Clients::sampled(const policy::Sample& sample, TimePoint now) {
        std::map<const Cgroups::Entry*, std::uint64_t> burn_millicpu;
        for (const auto& [id, state] : clients_)
                for (const auto* group : state->groups)
                        if (group->quota && state->usage)
                                burn_millicpu[group] += state->usage->burn_millicpu;
        // Who shares a quota that is used up cannot burn more, however idle the CPUs are.
        const auto is_throttled = [&](const State& state) {
                return std::ranges::any_of(state.groups, [&](const Cgroups::Entry* group) {
                        return group->quota && burn_millicpu[group] >= *group->quota * 900ULL;
                });
        };
        const policy::CpuMask* cpus = nullptr;  // most clients may run on the same ones
        std::uint32_t idle_millicpu = 0;
        for (auto& [id, state] : clients_) {
                state->limits.update(now);
                if (!state->usage)
                        continue;
                if (cpus == nullptr || *cpus != state->where.cpus) {
                        cpus = &state->where.cpus;
                        idle_millicpu = idle_on(sample, *cpus);
                }
                state->usage->idle_millicpu = is_throttled(*state) ? 0 : idle_millicpu;
                state->demand.add(*state->usage, now);
                state->usage.reset();
        }
}

std::vector<evidence::Burn> Clients::burns(TimePoint now) {
        samples_.add(now);
        const auto start = samples_.window_start();
        std::vector<evidence::Burn> burns;
        burns.reserve(clients_.size());
        for (const auto& [id, state] : clients_)
                if (const auto millicpu = state->burn.millicpu_since(start); millicpu > 0)
                        burns.push_back({state->where.cpus, millicpu, state->where.niced});
        departed_.collect(start, now, burns);
        for (auto& [account, programs] : short_lived_)
                programs.update(now);
        std::erase_if(short_lived_, [](const auto& of) { return of.second.empty(); });
        return burns;
}

/// No account's more than an equal part of the pool: its programs, too, have to share.
std::uint32_t Clients::short_lived_cpus(std::uint32_t pool) const {
        auto accounts = leases_.size();
        for (const auto& [account, programs] : short_lived_)
                accounts += leases_.contains(account) ? 0 : 1;
        std::uint32_t sum = 0;
        for (const auto& [account, programs] : short_lived_)
                sum += std::min(programs.cpus(), static_cast<std::uint32_t>(pool / accounts));
        return sum;
}

fair::Snapshot Clients::snapshot(const policy::Machine& machine,
                                 const policy::fair::Foreign& foreign, TimePoint now) const {
        fair::Snapshot snapshot{now, machine, foreign,
                                {},  {},      short_lived_cpus(machine.pool().count())};
        snapshot.clients.reserve(clients_.size());
        CgroupIndex cgroups;
        std::map<GangId, std::size_t> gangs;  // to their numbers in the snapshot
        for (const auto& [id, state] : clients_) {
                if (state->ignored())
                        continue;
                auto& client = snapshot.clients.emplace_back(state->client(machine.pool()));
                client.cgroup = cgroups.add(state->groups);
                if (!state->takes_turns())
                        continue;
                const auto [entry, is_new] = gangs.try_emplace(state->gang, gangs.size());
                if (is_new)
                        snapshot.gangs.push_back(gangs_.show(state->gang, now));
                auto& gang = snapshot.gangs[entry->second];
                gang.account = client.account;
                client.gang = entry->second;
                client.knee = state->speedup.knee(now);
                client.enough = state->speedup.enough(now);
                if (const auto tries = state->tries(gang.served, now))
                        client.tries = tries->cpus;
                const auto left = state->progress.remaining(gang.served);
                gang.remaining = is_new || (left && gang.remaining) ? std::max(left, gang.remaining)
                                                                    : std::nullopt;
                gang.is_on_trial = gang.is_on_trial || state->progress.is_on_trial(gang.served);
        }
        snapshot.cgroups = cgroups.take();
        return snapshot;
}

std::vector<ProgramId> Clients::apply(const fair::Decision& decision, TimePoint now) {
        std::vector<ProgramId> changed;
        for (const auto& grant : decision.grants) {
                auto* state = find(grant.id);
                if (state == nullptr)
                        continue;
                const auto tried = state->takes_turns()
                                           ? state->tries(gangs_.served(state->gang, now).time, now)
                                           : std::nullopt;
                if (state->apply(grant, now, history_))
                        changed.push_back(grant.id);
                state->width_probe.decided(tried, state->own_cpus(), state->speedup, now);
        }
        note_turns(decision, now);
        return changed;
}

/// Who is idle or light does not wait: it has what it needs.
void Clients::note_turns(const fair::Decision& decision, TimePoint now) {
        std::map<GangId, evidence::Gangs::Decided> decided;
        for (const auto id : decision.turns)
                decided[id].has_turn = true;
        for (const auto id : decision.served)
                decided[id].is_served = true;
        for (const auto& grant : decision.grants) {
                const auto* state = find(grant.id);
                if (state == nullptr || !state->takes_turns())
                        continue;
                auto& gang = decided[state->gang];
                gang.wants_to_run = gang.wants_to_run || (grant.reason.limit != fair::Limit::Idle &&
                                                          grant.reason.limit != fair::Limit::Light);
                gang.is_parked = gang.is_parked || grant.parked;
                gang.cpus += grant.parked ? 0 : std::max(state->own_cpus(), 1U);
        }
        gangs_.decided(decided, now);
}

std::optional<Clients::Shown> Clients::show(ProgramId id) const {
        const auto found = clients_.find(id);
        if (found == clients_.end())
                return std::nullopt;
        const auto& state = *found->second;
        const auto rate = state.burn.judged();
        return Shown{id,
                     state.identity,
                     state.joined,
                     state.max(),
                     state.weight(),
                     state.scheduling_class(),
                     held(id),
                     state.occupancy.team(),
                     rate ? rate->millicpu : 0,
                     state.rule.name,
                     state.orders};
}

std::optional<Clients::Turns> Clients::turns(ProgramId id, TimePoint now) const {
        const auto found = clients_.find(id);
        if (found == clients_.end() || !found->second->may_be_parked())
                return std::nullopt;
        const auto gang = found->second->gang;
        const auto& progress = found->second->progress;
        const auto programs = std::ranges::count_if(clients_, [&](const auto& client) {
                return client.second->gang == gang && client.second->may_be_parked();
        });
        const auto served = gangs_.served(gang, now).time;
        return Turns{static_cast<std::size_t>(programs), served, progress.said(),
                     progress.remaining(served)};
}

std::optional<ProgramId> Clients::next(ProgramId id) const {
        const auto found = clients_.upper_bound(id);
        return found != clients_.end() ? std::optional(found->first) : std::nullopt;
}

const evidence::Held* Clients::held(ProgramId id) const {
        const auto found = clients_.find(id);
        return found != clients_.end() && !found->second->ignored()
                       ? found->second->occupancy.held()
                       : nullptr;
}

bool Clients::is_ignored(ProgramId id) const {
        const auto found = clients_.find(id);
        return found != clients_.end() && found->second->ignored();
}

}  // namespace governor::registry
