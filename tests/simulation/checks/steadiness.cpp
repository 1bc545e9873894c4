// SPDX-License-Identifier: MIT
// The policy is asked again about what it has decided itself.
#include "simulation/checks/steadiness.hpp"

#include "policy/fair/turn_order.hpp"

#include <algorithm>

namespace simulation {

namespace {

using governor::policy::fair::Decision;
using governor::policy::fair::Snapshot;

/// Applies a decision as the registry does, at the same moment and without a word from the clients.
void apply(Snapshot& snapshot, const Decision& decision) {
        for (std::size_t i = 0; i < snapshot.clients.size(); i++) {
                auto& client = snapshot.clients[i];
                const auto& grant = decision.grants[i];
                client.granted = grant.cpus;
                client.shared = grant.shared;
                client.parked = grant.parked;
                if (client.gang && client.parked && snapshot.gangs[*client.gang].yields)
                        client.in_use.clear();
                if (client.in_use.is_within(grant.cpus))
                        continue;
                client.above_since = client.above_since.value_or(snapshot.now);
                client.lingers_since = client.lingers_since.value_or(snapshot.now);
        }
}

std::string difference(const Decision& a, const Decision& b) {
        for (std::size_t i = 0; i < a.grants.size(); i++) {
                const auto& one = a.grants[i];
                const auto& other = b.grants[i];
                if (one.cpus == other.cpus || (one.shared && other.shared))
                        continue;
                return "client " + std::to_string(static_cast<std::uint64_t>(one.id)) + " has " +
                       std::to_string(one.threads) + " {" +
                       governor::policy::format_cpu_list(one.cpus.to_set()) + "} and then " +
                       std::to_string(other.threads) + " {" +
                       governor::policy::format_cpu_list(other.cpus.to_set()) + "}";
        }
        return {};
}

/// Says for how many rounds decisions go on to change.
std::string rounds_text(const World& world, Snapshot& snapshot, Decision decision) {
        constexpr int kMost = 50;
        int rounds = 0;
        for (bool changed = true; changed && rounds < kMost; rounds++) {
                apply(snapshot, decision);
                auto next = world.decide_on(snapshot);
                changed = !difference(decision, next).empty();
                decision = std::move(next);
        }
        return ", and comes to rest " +
               (rounds < kMost ? "after " + std::to_string(rounds) : "only after 50 or more") +
               " decisions more";
}

/// No other program lends its CPUs, takes them back, or takes CPUs that nobody knows of.
bool everybody_is_honest(const World& world) {
        return std::ranges::all_of(world.residents, [](const Resident& resident) {
                return is_honest(resident) && !resident.process->stopped();
        });
}

/// The CPUs that a newcomer finds free are dealt out anew by turns, step by step as others leave
/// them.
bool is_newcomer_beside_turns(const World& world) {
        const auto turns = [&](const Resident& one) { return world.turns_with_tree(one); };
        const auto is_new = [&](const Resident& one) { return one.client && is_young(world, one); };
        return std::ranges::any_of(world.residents, turns) &&
               std::ranges::any_of(world.residents, is_new);
}

/// A job that has waited for the longest time begins beside those that have their turns: one after
/// the other takes a CPU of these.
bool somebody_is_out_of_patience(const World& world) {
        const auto believed = world.believed();
        return std::ranges::any_of(believed.gangs, [&](const auto& gang) {
                return governor::policy::fair::is_out_of_patience(world.scenario.governor.fair,
                                                                  gang, believed.now);
        });
}

}  // namespace

void Steadiness::decided(const World& world) {
        check_flapping(world);
        if (world.now < next_look_)
                return;
        next_look_ = world.now + world.scenario.governor.period / 2;
        if (!is_newcomer_beside_turns(world))
                check_convergence(world);
}

void Steadiness::ended(const World&, const Resident& resident) { watches_.erase(resident.number); }

void Steadiness::check_convergence(const World& world) {
        auto snapshot = world.snapshot();
        if (snapshot.clients.empty())
                return;
        const auto decide = [&] { return world.decide_on(snapshot); };
        auto decision = decide();
        apply(snapshot, decision);
        decision = decide();
        apply(snapshot, decision);
        if (const auto change = difference(decision, decide()); !change.empty())
                violated(world, "convergence", change + rounds_text(world, snapshot, decision));
}

/// True while three things have been the same for as long as things take to settle: the wishes of
/// programs that pause or are niced, the CPUs that pay, and those kept free for newcomers.
bool Steadiness::is_demand_steady(const World& world) {
        const auto believed = world.believed();
        std::map<std::size_t, Demand> demands{{0, {sum_of(believed.kept)}}};  // no client
        for (const auto& resident : world.residents) {
                const auto client = std::ranges::find_if(believed.clients, [&](const auto& one) {
                        return one.id == resident.client;
                });
                if (client == believed.clients.end())
                        continue;
                auto& demand = demands[resident.number + 1];
                // The kernel lets one that is niced run where others leave it something.
                if (!is_hungry(resident) || resident.process->program().nice > 0)
                        demand = {client->wants, client->idle, client->light};
                demand.scaling = client->scaling;
                demand.probe_width = client->probe_width;
        }
        if (demands != demands_)
                demand_changed_ = world.now;
        demands_ = std::move(demands);
        return world.now - demand_changed_ > settling_time(world);
}

void Steadiness::check_flapping(const World& world) {
        const bool steady =
                world.now - world.disturbed > settling_time(world) && is_demand_steady(world) &&
                (world.foreign_disturbed == kNever || world.now - world.disturbed > kForeign) &&
                everybody_is_honest(world) && !may_be_rigid(world) &&
                !somebody_is_out_of_patience(world);
        // Foreign load that moves between overlapping cpusets can move a CPU along. No more than a
        // part of each set is yielded, so that it can be one CPU more or less, too.
        const bool moves_with_load = world.foreign_load > 0 && !all_may_run_everywhere(world);
        for (const auto& resident : world.residents) {
                const auto* held = world.held(resident);
                if (held == nullptr)
                        continue;
                auto& watch = watches_[resident.number];
                const auto more = std::max(watch.grant.threads, held->grant.threads) -
                                  std::min(watch.grant.threads, held->grant.threads);
                const bool moved =
                        watch.grant.cpus != held->grant.cpus && !(moves_with_load && more <= 1);
                const bool changed = moved && !watch.grant.cpus.empty();
                const auto before = watch.grant.threads;
                watch.grant = held->grant;
                if (!changed)
                        continue;
                if (!steady) {
                        watch.changed = -kCalm;
                        continue;
                }
                if (world.now - watch.changed < kCalm)
                        violated(world, "flapping",
                                 name_of(resident) + " changes from " + std::to_string(before) +
                                         " to " + std::to_string(held->grant.threads) +
                                         ", and changed less than 10 s ago");
                watch.changed = world.now;
        }
}

}  // namespace simulation
