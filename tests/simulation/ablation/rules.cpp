// SPDX-License-Identifier: MIT
// One row per rule.
#include "simulation/ablation/rules.hpp"

#include "policy/fair/decide.hpp"
#include "simulation/policies/told.hpp"

#include <algorithm>
#include <array>

namespace simulation {

namespace {

using governor::policy::fair::Client;
using governor::policy::fair::Decision;
using governor::policy::fair::Gang;
using governor::policy::fair::Limit;
using governor::policy::fair::Settings;
using governor::policy::fair::Snapshot;

template <void (*change)(Client&)>
Decision for_clients(const Settings& settings, const Snapshot& snapshot) {
        return governor::policy::fair::decide(settings, with_clients(snapshot, change));
}

template <void (*change)(Gang&)>
Decision with_gangs(const Settings& settings, const Snapshot& snapshot) {
        auto told = snapshot;
        std::ranges::for_each(told.gangs, change);
        return governor::policy::fair::decide(settings, told);
}

template <void (*change)(Settings&)>
Decision with_settings(const Settings& settings, const Snapshot& snapshot) {
        auto changed = settings;
        change(changed);
        return governor::policy::fair::decide(changed, snapshot);
}

template <void (*change)(governor::policy::fair::Foreign&)>
Decision with_foreign(const Settings& settings, const Snapshot& snapshot) {
        auto foreign = snapshot.foreign;
        change(foreign);
        return governor::policy::fair::decide(settings, Snapshot{snapshot.now, snapshot.machine,
                                                                 foreign, snapshot.cgroups,
                                                                 snapshot.clients, snapshot.kept,
                                                                 snapshot.gangs, snapshot.trees});
}

// Shares.

void newcomers_push(Settings& settings) { settings.newcomer = {}; }

void all_foreign_counts(Settings& settings) {
        settings.foreign_max_permyriad = governor::policy::kPermyriad;
}

void never_rigid(Client& client) { client.above_since.reset(); }

void wants_all(Client& client) {
        if (!client.idle && !client.light)
                client.wants.reset();
}

void never_idle(Client& client) {
        if (client.idle)
                client.wants.reset();
        client.idle = false;
}

void never_light(Client& client) {
        if (client.light && !client.idle)
                client.wants.reset();
        client.light = false;
}

Decision nothing_for_the_short_lived(const Settings& settings, const Snapshot& snapshot) {
        auto told = snapshot;
        told.kept.clear();
        return governor::policy::fair::decide(settings, told);
}

void in_no_tree(Client& client) { client.tree.reset(); }

// Foreign load.

void nothing_is_foreign(governor::policy::fair::Foreign& foreign) { foreign = {}; }

void nobody_runs_it(governor::policy::fair::Foreign& foreign) { foreign.owned.clear(); }

// Handover.

void hands_over_at_once(Client& client) { client.in_use.clear(); }

// Turns.

void nothing_measured(Client& client) { client.scaling = {}; }
void no_probes(Client& client) { client.probe_width.reset(); }
void end_not_known(Gang& gang) {
        gang.remaining.reset();
        gang.is_on_trial = false;
}
void no_trial(Gang& gang) { gang.is_on_trial = false; }
void always_first_quantum(Gang& gang) { gang.served = {}; }
void patient(Gang& gang) {
        if (!gang.yields)
                gang.waits_since.reset();
}
void never_overdue(Gang& gang) {
        if (!gang.yields)
                return;
        gang.waits_since.reset();
        gang.waited = {};
}

/// A program begins beside those that are about to leave.
Decision begins_beside_others(const Settings& settings, const Snapshot& snapshot) {
        auto decision = governor::policy::fair::decide(settings, snapshot);
        for (auto& grant : decision.grants)
                if (grant.reason.limit == Limit::Handover)
                        grant.parked = false;
        return decision;
}

constexpr std::array kRules{
        Rule{"newcomer", "a newcomer makes no program shrink", with_settings<newcomers_push>},
        Rule{"foreign_max", "foreign load is yielded a part at most",
             with_settings<all_foreign_counts>},
        Rule{"rigid", "a program that stays above its grant is charged", for_clients<never_rigid>},
        Rule{"demand", "a program gets what it can use", for_clients<wants_all>},
        Rule{"idle", "a program that does nothing lends its share", for_clients<never_idle>},
        Rule{"light", "a program that uses little of a CPU has none of its own",
             for_clients<never_light>},
        Rule{"short_lived", "CPUs are kept free for programs that come and go",
             nothing_for_the_short_lived},
        Rule{"trees", "the programs of a tree share as one", for_clients<in_no_tree>},
        Rule{"foreign", "foreign load is made room for", with_foreign<nothing_is_foreign>},
        Rule{"owners", "foreign load counts against its account", with_foreign<nobody_runs_it>},
        Rule{"handover", "CPUs are free when the region on them has ended",
             for_clients<hands_over_at_once>},
        Rule{"scaling", "what more CPUs were worth counts", for_clients<nothing_measured>},
        Rule{"probing", "fewer CPUs are tried", for_clients<no_probes>},
        Rule{"remaining", "a gang that says how far it is goes by what is left",
             with_gangs<end_not_known>},
        Rule{"trial", "a gang that says how far it is has a trial first", with_gangs<no_trial>},
        Rule{"quanta", "a turn ends, and the next one is longer", with_gangs<always_first_quantum>},
        Rule{"patience", "a gang that waits for long has a thread", with_gangs<patient>},
        Rule{"overdue", "a tree that waits for long has its turn", with_gangs<never_overdue>},
        Rule{"still_waiting", "a turn begins when the one before has left its CPUs",
             begins_beside_others},
};

}  // namespace

std::span<const Rule> rules() { return kRules; }

std::optional<Rule> find_rule(std::string_view name) {
        const auto* const found = std::ranges::find(kRules, name, &Rule::name);
        return found != kRules.end() ? std::optional(*found) : std::nullopt;
}

}  // namespace simulation
