// SPDX-License-Identifier: MIT
// The real policy with its settings or its answer tampered with.
#include "simulation/policies/policies.hpp"

#include "policy/fair/decide.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace simulation {

namespace {

using governor::policy::CpuMask;
using governor::policy::fair::decide;
using governor::policy::fair::Decision;
using governor::policy::fair::Grant;
using governor::policy::fair::Limit;
using governor::policy::fair::Settings;
using governor::policy::fair::Snapshot;

Decision yields_everything_to_others(const Settings& settings, const Snapshot& snapshot) {
        auto seen = settings;
        seen.foreign_max_permyriad = governor::policy::kPermyriad;
        return decide(seen, snapshot);
}

Decision ignores_foreign_load(const Settings& settings, const Snapshot& snapshot) {
        auto seen = settings;
        seen.foreign_max_permyriad = 0;
        return decide(seen, snapshot);
}

/// Counts are right, but every client's CPUs begin with the first that it may use.
Decision overlaps(const Settings& settings, const Snapshot& snapshot) {
        auto decision = decide(settings, snapshot);
        for (std::size_t i = 0; i < decision.grants.size(); i++) {
                auto& grant = decision.grants[i];
                const auto usable = snapshot.clients[i].allowed & snapshot.machine.pool();
                if (usable.empty())
                        continue;
                grant.cpus.clear();
                usable.for_each([&](std::uint32_t cpu) {
                        if (grant.cpus.count() < grant.threads)
                                grant.cpus.add(cpu);
                });
        }
        return decision;
}

Decision never_shrinks(const Settings& settings, const Snapshot& snapshot) {
        auto decision = decide(settings, snapshot);
        for (std::size_t i = 0; i < decision.grants.size(); i++) {
                const auto& had = snapshot.clients[i].granted;
                if (had.count() <= decision.grants[i].threads || snapshot.clients[i].shared)
                        continue;
                decision.grants[i].cpus = had;
                decision.grants[i].threads = had.count();
        }
        return decision;
}

/// A program that begins has its share, and the holder keeps the CPUs that it was to leave.
Decision holders_never_give_way(const Settings& settings, const Snapshot& snapshot) {
        auto decision = decide(settings, snapshot);
        for (std::size_t i = 0; i < decision.grants.size(); i++) {
                const auto& had = snapshot.clients[i].granted;
                auto& grant = decision.grants[i];
                if (snapshot.clients[i].shared || had.count() <= grant.threads)
                        continue;
                const auto keeps = had & snapshot.clients[i].allowed;
                for (std::size_t j = 0; j < decision.grants.size(); j++)
                        if (snapshot.clients[j].begins())
                                grant.cpus |= keeps & decision.grants[j].cpus;
                grant.threads = grant.cpus.count();
        }
        return decision;
}

Decision never_grows(const Settings& settings, const Snapshot& snapshot) {
        auto decision = decide(settings, snapshot);
        for (std::size_t i = 0; i < decision.grants.size(); i++) {
                const auto& had = snapshot.clients[i].granted;
                if (had.empty() || had.count() >= decision.grants[i].threads)
                        continue;
                decision.grants[i].cpus = had;
                decision.grants[i].threads = had.count();
        }
        return decision;
}

/// One CPU less in every second second.
Decision flaps(const Settings& settings, const Snapshot& snapshot) {
        auto decision = decide(settings, snapshot);
        const auto now = snapshot.now.time_since_epoch();
        if (std::chrono::duration_cast<std::chrono::seconds>(now).count() % 2 == 0)
                return decision;
        for (auto& grant : decision.grants)
                if (grant.threads > 1 && grant.reason.limit != Limit::Ungoverned) {
                        grant.cpus.remove(*grant.cpus.first());
                        grant.threads--;
                }
        return decision;
}

/// Every five seconds every client's CPUs are moved by one place: the numbers stay.
Decision migrates(const Settings& settings, const Snapshot& snapshot) {
        auto decision = decide(settings, snapshot);
        const auto now = snapshot.now.time_since_epoch();
        const auto pool = snapshot.machine.pool().to_set();
        if (std::chrono::duration_cast<std::chrono::seconds>(now).count() % 5 != 0 ||
            !std::ranges::all_of(snapshot.clients, [&](const auto& client) {
                    return snapshot.machine.pool().is_within(client.allowed);
            }))
                return decision;
        for (auto& grant : decision.grants) {
                const auto before = std::exchange(grant.cpus, {});
                for (std::size_t k = 0; k < pool.size(); k++)
                        if (before.contains(pool[k]))
                                grant.cpus.add(pool[(k + 1) % pool.size()]);
        }
        return decision;
}

Decision starves_the_youngest(const Settings& settings, const Snapshot& snapshot) {
        auto decision = decide(settings, snapshot);
        if (decision.grants.size() < 2)
                return decision;
        auto& grant = decision.grants.back();
        if (grant.reason.limit == Limit::Ungoverned)
                return decision;
        const auto cpu = *grant.cpus.first();
        grant.cpus.clear();
        grant.cpus.add(cpu);
        grant.threads = 1;
        return decision;
}

/// The policy waits for ever for programs that are above their grants for ever.
Decision waits_for_ever(const Settings& settings, const Snapshot& snapshot) {
        auto seen = settings;
        seen.handover_max = std::chrono::hours(1000);
        return decide(seen, snapshot);
}

/// The numbers stay. `choose(i, held, free, count)`: the CPUs of client i.
template <class Choose>
Decision placed_anew(const Settings& settings, const Snapshot& snapshot, Choose choose) {
        auto decision = decide(settings, snapshot);
        auto free = snapshot.machine.pool();
        for (std::size_t i = 0; i < decision.grants.size(); i++) {
                const auto& grant = decision.grants[i];
                const auto& client = snapshot.clients[i];
                if (grant.shared || grant.reason.limit == Limit::Ungoverned)
                        continue;
                free -= grant.cpus | client.in_use;
                if (!client.shared)
                        free -= client.granted;
        }
        for (std::size_t i = 0; i < decision.grants.size(); i++) {
                auto& grant = decision.grants[i];
                const auto& client = snapshot.clients[i];
                if (grant.shared || client.shared || grant.reason.limit == Limit::Ungoverned)
                        continue;
                const auto chosen = choose(client.granted, free | grant.cpus, grant);
                free = (free | grant.cpus) - chosen;
                grant.cpus = chosen;
        }
        return decision;
}

CpuMask lowest(const CpuMask& cpus, std::uint32_t count) {
        CpuMask chosen;
        cpus.for_each([&](std::uint32_t cpu) {
                if (chosen.count() < count)
                        chosen.add(cpu);
        });
        return chosen;
}

/// A program that comes or grows gets the lowest numbers that are free, cores or no cores.
Decision grows_anywhere(const Settings& settings, const Snapshot& snapshot) {
        return placed_anew(settings, snapshot,
                           [](const CpuMask& held, const CpuMask& free, const Grant& grant) {
                                   const auto kept = grant.cpus & held;
                                   return kept | lowest(free - kept, grant.threads - kept.count());
                           });
}

/// A program that shrinks keeps the lowest numbers, which are one half of each core.
Decision shrinks_by_number(const Settings& settings, const Snapshot& snapshot) {
        return placed_anew(settings, snapshot,
                           [](const CpuMask& held, const CpuMask&, const Grant& grant) {
                                   return grant.cpus.is_within(held) ? lowest(held, grant.threads)
                                                                     : grant.cpus;
                           });
}

Decision counts_programs_as_accounts(const Settings& settings, const Snapshot& snapshot) {
        auto decision = decide(settings, snapshot);
        for (auto& grant : decision.grants)
                grant.reason.accounts = grant.reason.programs;
        return decision;
}

/// One too many, whatever the limit is.
Decision names_wrong_bounds(const Settings& settings, const Snapshot& snapshot) {
        auto decision = decide(settings, snapshot);
        for (auto& grant : decision.grants)
                grant.reason.bound++;
        return decision;
}

/// Every client is told that it makes use of no more.
Decision names_wrong_limits(const Settings& settings, const Snapshot& snapshot) {
        auto decision = decide(settings, snapshot);
        for (auto& grant : decision.grants)
                if (grant.reason.limit != Limit::Ungoverned && !grant.shared)
                        grant.reason.limit = Limit::Demand;
        return decision;
}

constexpr std::array kMutants{
        NamedPolicy{"yields-everything",
                    "foreign load may push programs aside altogether",
                    {yields_everything_to_others},
                    "foreign-load"},
        NamedPolicy{"ignores-foreign",
                    "nothing is left to foreign load",
                    {ignores_foreign_load},
                    "foreign-load"},
        NamedPolicy{"overlaps", "all sets begin with the first CPU", {overlaps}, "granted-once"},
        NamedPolicy{"never-shrinks", "who has CPUs keeps them", {never_shrinks}, "starvation"},
        NamedPolicy{"holders-never-give-way",
                    "holders keep what somebody begins on",
                    {holders_never_give_way},
                    "granted-once"},
        NamedPolicy{"never-grows", "the first grant is the highest", {never_grows}, "conservation"},
        NamedPolicy{"flaps", "a CPU less in every second second", {flaps}, "flapping"},
        NamedPolicy{"migrates",
                    "every five seconds all sets are moved by a CPU",
                    {migrates},
                    "flapping"},
        NamedPolicy{"starves-the-youngest",
                    "who came last has one CPU",
                    {starves_the_youngest},
                    "starvation"},
        NamedPolicy{"waits-for-ever",
                    "programs that do not follow are waited for",
                    {waits_for_ever},
                    "starvation"},
        NamedPolicy{"grows-anywhere",
                    "CPUs are chosen by their numbers",
                    {grows_anywhere},
                    "whole-cores"},
        NamedPolicy{"shrinks-by-number",
                    "the CPUs with the highest numbers are given up",
                    {shrinks_by_number},
                    "whole-cores"},
        NamedPolicy{"miscounts",
                    "programs are counted as accounts",
                    {counts_programs_as_accounts},
                    "reasons"},
        NamedPolicy{"wrong-bounds",
                    "reasons name a bound that is one too high",
                    {names_wrong_bounds},
                    "reasons"},
        NamedPolicy{"wrong-limits",
                    "all grants are said to be limited by demand",
                    {names_wrong_limits},
                    "reasons"},
};

}  // namespace

std::span<const NamedPolicy> mutants() { return kMutants; }

}  // namespace simulation
