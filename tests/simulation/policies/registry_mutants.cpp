// SPDX-License-Identifier: MIT
// What a broken registry would tell the policy.
#include "simulation/policies/policies.hpp"

#include "policy/fair/decide.hpp"
#include "simulation/policies/told.hpp"

#include <algorithm>
#include <array>

namespace simulation {

namespace {

using governor::policy::fair::AccountId;
using governor::policy::fair::Client;
using governor::policy::fair::decide;
using governor::policy::fair::Decision;
using governor::policy::fair::Foreign;
using governor::policy::fair::Settings;
using governor::policy::fair::Snapshot;

Snapshot hands_over_at_once(const Snapshot& snapshot) {
        return with_clients(snapshot, [](Client& client) {
                client.in_use.clear();
                client.above_since.reset();
        });
}

Snapshot knows_no_rigid_holders(const Snapshot& snapshot) {
        return with_clients(snapshot, [](Client& client) { client.above_since.reset(); });
}

Snapshot knows_no_streams(const Snapshot& snapshot) {
        return with_clients(snapshot, [](Client& client) { client.in_stream = false; });
}

Snapshot ignores_accounts(const Snapshot& snapshot) {
        return with_clients(snapshot, [](Client& client) { client.account = AccountId{1}; });
}

Snapshot an_account_for_each(const Snapshot& snapshot) {
        return with_clients(snapshot, [](Client& client) {
                client.account = AccountId{static_cast<std::uint64_t>(client.id)};
        });
}

Snapshot ignores_trees(const Snapshot& snapshot) {
        return with_clients(snapshot, [](Client& client) { client.tree.reset(); });
}

Snapshot ignores_maxima_of_trees(const Snapshot& snapshot) {
        auto told = snapshot;
        for (auto& tree : told.trees)
                tree.max.reset();
        return told;
}

Snapshot ignores_weights(const Snapshot& snapshot) {
        return with_clients(snapshot, [](Client& client) { client.weight = 100; });
}

Snapshot ignores_maxima(const Snapshot& snapshot) {
        return with_clients(snapshot, [](Client& client) { client.max.reset(); });
}

std::optional<std::uint32_t> halved(std::optional<std::uint32_t> number) {
        return number ? std::optional((*number + 1) / 2) : std::nullopt;
}

Snapshot halves_maxima(const Snapshot& snapshot) {
        return with_clients(snapshot, [](Client& client) { client.max = halved(client.max); });
}

Snapshot ignores_minima(const Snapshot& snapshot) {
        return with_clients(snapshot, [](Client& client) { client.min = 1; });
}

Snapshot ignores_guarantees(const Snapshot& snapshot) {
        return with_clients(snapshot, [](Client& client) { client.guaranteed = 1; });
}

Snapshot ignores_cpusets(const Snapshot& snapshot) {
        return with_clients(snapshot,
                            [&](Client& client) { client.allowed = snapshot.machine.pool(); });
}

/// Takes one thread's mask for the whole mask.
Snapshot narrows_cpusets(const Snapshot& snapshot) {
        return with_clients(snapshot, [](Client& client) {
                auto cpus = client.allowed.to_set();
                cpus.resize((cpus.size() + 1) / 2);
                client.allowed = governor::policy::CpuMask(cpus);
        });
}

Snapshot ignores_quotas(const Snapshot& snapshot) {
        auto told = snapshot;
        for (auto& group : told.cgroups)
                group.quota.reset();
        return told;
}

/// Only the quota of its own control group counts, not those above.
Snapshot ignores_ancestors(const Snapshot& snapshot) {
        auto told = snapshot;
        for (auto& group : told.cgroups)
                group.parent.reset();
        return told;
}

Snapshot ignores_short_lived(const Snapshot& snapshot) {
        auto told = snapshot;
        told.kept.clear();
        return told;
}

Snapshot with_foreign(const Snapshot& snapshot, const Foreign& foreign) {
        return {snapshot.now,     snapshot.machine, foreign,        snapshot.cgroups,
                snapshot.clients, snapshot.kept,    snapshot.gangs, snapshot.trees};
}

Snapshot sees_no_foreign_load(const Snapshot& snapshot) {
        static const Foreign none;
        return with_foreign(snapshot, none);
}

Snapshot does_not_know_owners(const Snapshot& snapshot) {
        static thread_local Foreign nobodys;
        nobodys = {snapshot.foreign.load, {}};
        return with_foreign(snapshot, nobodys);
}

/// Ignores the burn of clients: everything that is busy is foreign.
Snapshot takes_clients_for_foreign(const Snapshot& snapshot) {
        static thread_local Foreign everything;
        everything = {};
        snapshot.machine.pool().for_each([&](std::uint32_t cpu) {
                const bool is_granted =
                        std::ranges::any_of(snapshot.clients, [&](const Client& client) {
                                return client.granted.contains(cpu);
                        });
                const auto load = is_granted ? 1000 : snapshot.foreign.millicpu_on(cpu);
                everything.load.resize(cpu + 1);
                everything.load[cpu] = static_cast<float>(load);
        });
        return with_foreign(snapshot, everything);
}

Snapshot halves_wants(const Snapshot& snapshot) {
        return with_clients(snapshot, [](Client& client) { client.wants = halved(client.wants); });
}

Snapshot all_are_idle(const Snapshot& snapshot) {
        return with_clients(snapshot, [](Client& client) {
                client.idle = true;
                client.wants = 1;
        });
}

Snapshot all_are_light(const Snapshot& snapshot) {
        return with_clients(snapshot, [](Client& client) { client.light = true; });
}

/// Ignores how long a program waits.
Snapshot takes_crowded_out_for_light(const Snapshot& snapshot) {
        return with_clients(snapshot, [](Client& client) {
                client.light = client.light || (client.granted.count() == 1 && client.burning == 0);
        });
}

Snapshot nobody_is_idle(const Snapshot& snapshot) {
        return with_clients(snapshot, [](Client& client) {
                client.idle = false;
                client.wants.reset();
        });
}

/// Charges a tree for what it burns while it waits and yields, as if it might not burn that.
Snapshot takes_waiting_trees_for_rigid(const Snapshot& snapshot) {
        return with_clients(snapshot, [&](Client& client) {
                if (client.gang && snapshot.gangs[*client.gang].yields && client.parked)
                        client.above_since = client.lingers_since =
                                snapshot.now - std::chrono::hours(1);
        });
}

template <Snapshot (*told)(const Snapshot&)>
Decision decide_on(const Settings& settings, const Snapshot& snapshot) {
        return decide(settings, told(snapshot));
}

template <Snapshot (*told)(const Snapshot&)>
constexpr NamedPolicy mutant(std::string_view name, std::string_view meaning,
                             std::string_view caught_by) {
        return {name, meaning, {decide_on<told>, told}, caught_by};
}

constexpr std::array kRegistryMutants{
        mutant<hands_over_at_once>("hands-over-at-once",
                                   "CPUs are free as soon as they are not granted any more",
                                   "occupied-once"),
        mutant<knows_no_rigid_holders>("no-rigid-holders", "nobody is above his grant for long",
                                       "starvation"),
        mutant<takes_waiting_trees_for_rigid>(
                "waiting-trees-are-rigid",
                "what a tree burns while it waits and yields counts as rigid", "rigid-belief"),
        mutant<knows_no_streams>("short-streams-push",
                                 "programs of a stream of short ones make others shrink",
                                 "newcomers"),
        mutant<ignores_accounts>("ignores-accounts", "programs share, whoever owns them",
                                 "starvation"),
        mutant<an_account_for_each>("an-account-for-each", "every program is a user", "starvation"),
        mutant<ignores_trees>("ignores-trees", "programs of a tree share as if they were in none",
                              "starvation"),
        mutant<ignores_maxima_of_trees>("ignores-tree-max",
                                        "the maximum of a tree is not looked at", "within-tree"),
        mutant<ignores_weights>("ignores-weights", "all programs are alike", "starvation"),
        mutant<ignores_maxima>("ignores-maxima", "programs get more than they ask for",
                               "well-formed"),
        mutant<halves_maxima>("halves-maxima", "programs get half as much as they may",
                              "starvation"),
        mutant<ignores_minima>("ignores-minima", "what a program asks for does not come first",
                               "starvation"),
        mutant<ignores_guarantees>("ignores-guarantees", "the administrator guarantees in vain",
                                   "starvation"),
        mutant<ignores_cpusets>("ignores-cpusets", "everybody may use every CPU", "well-formed"),
        mutant<narrows_cpusets>("narrows-cpusets", "half of a program's CPUs are not seen",
                                "starvation"),
        mutant<ignores_quotas>("ignores-quotas", "cpu.max is not looked at", "within-quota"),
        mutant<ignores_ancestors>("ignores-ancestors",
                                  "cpu.max of control groups above is not looked at",
                                  "within-quota"),
        mutant<ignores_short_lived>("ignores-short-lived", "nothing is kept free for newcomers",
                                    "reasons"),
        mutant<sees_no_foreign_load>("no-foreign-load", "nothing is foreign load",
                                     "foreign-belief"),
        mutant<does_not_know_owners>("nobodys-hogs", "foreign load is nobody's", "foreign-owner"),
        mutant<takes_clients_for_foreign>("all-is-foreign", "what clients burn is foreign load",
                                          "foreign-belief"),
        mutant<halves_wants>("halves-wants", "programs want half as much", "demand-belief"),
        mutant<all_are_idle>("all-idle", "everybody is idle", "demand-belief"),
        mutant<all_are_light>("all-light", "everybody uses little", "light-belief"),
        mutant<takes_crowded_out_for_light>(
                "crowded-out-is-light", "who burns little is taken to want little", "light-belief"),
        mutant<nobody_is_idle>("nobody-idle", "whoever sleeps wants all that he may have",
                               "demand-belief"),
};

}  // namespace

std::span<const NamedPolicy> registry_mutants() { return kRegistryMutants; }

}  // namespace simulation
