// SPDX-License-Identifier: MIT
// One row per baseline.
#include "simulation/baselines/baselines.hpp"

#include "policy/fair/decide.hpp"
#include "simulation/baselines/grant.hpp"
#include "simulation/baselines/parts.hpp"
#include "simulation/baselines/threshold.hpp"
#include "simulation/scenario/scenario.hpp"

#include <algorithm>
#include <array>

namespace simulation {

namespace {

using governor::policy::fair::Class;
using governor::policy::fair::Client;
using governor::policy::fair::Decision;
using governor::policy::fair::Settings;
using governor::policy::fair::Snapshot;

/// All are alike, were always there, want all that they may have, and have left what they gave up.
void know_only_limits(Client& client) {
        const auto known = client;
        client = {};
        client.id = known.id;
        client.account = known.account;
        client.joined = known.joined - std::chrono::hours(1);
        client.tree = known.tree;
        client.max = known.max;
        client.allowed = known.allowed;
        client.cgroup = known.cgroup;
        client.granted = known.granted;
        client.shared = known.shared;
}

Snapshot only_limits(const Snapshot& snapshot) {
        static const governor::policy::fair::Foreign none;
        Snapshot told{snapshot.now, snapshot.machine, none, snapshot.cgroups, snapshot.clients, {},
                      {},           snapshot.trees};
        for (auto& client : told.clients)
                know_only_limits(client);
        for (auto& tree : told.trees)
                tree = {.max = tree.max};
        return told;
}

/// The real policy shares out what is left of it: limits, quotas and cpusets.
Decision share_equally(const Settings& settings, const Snapshot& snapshot) {
        return governor::policy::fair::decide(settings, only_limits(snapshot));
}

/// On the CPU where fewest are; it stays there.
Decision one_thread_each(const Settings&, const Snapshot& snapshot) {
        std::vector<std::uint32_t> crowd(snapshot.machine.number_limit());
        const auto stays = [&](const Client& client) {
                return client.granted.first().has_value() &&
                       client.allowed.contains(*client.granted.first());
        };
        for (const auto& client : snapshot.clients)
                if (stays(client))
                        crowd[*client.granted.first()]++;
        return decision_of(snapshot, [&](const Client& client) {
                const auto usable = client.allowed & snapshot.machine.pool();
                if (usable.empty())
                        return grant_of(client, {}, 1);
                auto best = *usable.first();
                if (stays(client)) {
                        best = *client.granted.first();
                } else {
                        usable.for_each([&](std::uint32_t cpu) {
                                best = crowd[cpu] < crowd[best] ? cpu : best;
                        });
                        crowd[best]++;
                }
                return grant_of(client, CpuMask::range(best, 1), 1);
        });
}

Decision a_thread_for_every_cpu(const Settings&, const Snapshot& snapshot) {
        return decision_of(snapshot, [](const Client& client) {
                return grant_of(client, client.allowed, client.allowed.count());
        });
}

void wait_passively(Scenario& scenario) {
        for (auto& program : scenario.programs)
                program.spins = false;
}

void wait_spinning(Scenario& scenario) {
        for (auto& program : scenario.programs)
                program.spins = true;
}

void switch_turns_off(Scenario& scenario) { scenario.governor.fair.turns = false; }

/// Makes programs batch that end by themselves, follow their grants and are in no tree. Does not,
/// where the scenario itself says what is batch.
void switch_turns_on(Scenario& scenario) {
        scenario.governor.fair.turns = true;
        const auto is_batch = [](const auto& one) { return one.scheduling_class == Class::Batch; };
        if (std::ranges::any_of(scenario.programs, is_batch) ||
            std::ranges::any_of(scenario.rules, is_batch))
                return;
        for (auto& program : scenario.programs)
                if (program.regions > 0 && program.behaviour == Behaviour::Honest &&
                    program.tree.empty()) {
                        program.scheduling_class = Class::Batch;
                        program.waits = true;
                }
}

constexpr NamedPolicy baseline(std::string_view name, std::string_view meaning, Decider decider,
                               void (*prepare)(Scenario&) = nullptr) {
        return {name, meaning, decider, {}, true, prepare};
}

constexpr std::array kBaselines{
        baseline("equal", "an equal part for each account, then for each program, at once",
                 {share_equally}),
        baseline("static", "fixed parts of the machine; a program takes the emptiest",
                 {.begin = begin_parts}),
        baseline("one", "one thread each", {one_thread_each}),
        baseline("oversubscribed", "a thread for every CPU; those that wait sleep",
                 {a_thread_for_every_cpu}, wait_passively),
        baseline("oversubscribed-spinning", "a thread for every CPU; those that wait spin",
                 {a_thread_for_every_cpu}, wait_spinning),
        baseline("threshold", "every 10 s what is idle as well; it only grows",
                 {.begin = begin_threshold}),
        baseline("without-turns", "the real one, with turns off", {}, switch_turns_off),
        baseline("turns", "the real one, with turns on; all that end are batch, if none is", {},
                 switch_turns_on),
};

}  // namespace

std::span<const NamedPolicy> baselines() { return kBaselines; }

}  // namespace simulation
