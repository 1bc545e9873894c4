// SPDX-License-Identifier: MIT
// From the scenario and the world.
#include "simulation/checks/truth.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace simulation {

namespace {

namespace fair = governor::policy::fair;

std::uint32_t smaller(std::uint32_t a, std::uint32_t b) {
        return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b);
}

std::uint32_t limited(std::uint32_t wish, std::uint32_t max) {
        return max == 0 ? std::max(wish, 1U) : std::clamp(wish, 1U, max);
}

std::vector<fair::Cgroup> quotas(const Scenario& scenario) {
        std::vector<fair::Cgroup> groups;
        for (const auto& group : scenario.cgroups) {
                fair::Cgroup made;
                made.parent = group.parent;
                if (group.quota)
                        made.quota = static_cast<std::uint32_t>(std::ceil(*group.quota));
                groups.push_back(made);
        }
        return groups;
}

fair::Client true_client(const World& world, const Resident& resident) {
        const auto& program = resident.process->program();
        const auto rules = ruled(world.scenario, program);
        fair::Client client;
        client.id = *resident.client;
        client.account = fair::AccountId{program.user};
        client.joined = time_point(resident.process->started());
        client.weight = rules.weight;
        const auto max = true_max(world, resident);
        if (max > 0)
                client.max = max;
        client.min = limited(program.min, max);
        client.guaranteed = limited(rules.guaranteed, max);
        client.allowed = resident.process->allowed();
        client.cgroup = program.cgroup;
        if (const auto* held = world.held(resident)) {
                client.granted = held->grant.cpus & world.known().pool();
                client.shared = held->grant.shared;
        }
        return client;
}

/// A tree has the wishes of its holder, which is like any other program inside the tree.
std::vector<fair::Tree> trees_of(const World& world, std::vector<fair::Client>& clients) {
        std::map<ProgramId, std::size_t> known;
        std::vector<fair::Tree> trees;
        for (auto& client : clients) {
                const auto* resident = resident_of(world, client.id);
                if (!resident->tree)
                        continue;
                const auto [entry, is_new] = known.try_emplace(*resident->tree, trees.size());
                if (is_new) {
                        const auto& holder = *resident_of(world, *resident->tree);
                        const auto& program = holder.process->program();
                        const auto rules = ruled(world.scenario, program);
                        trees.push_back({rules.weight, limited(program.min, rules.max),
                                         true_tree_max(world, holder)});
                }
                client.tree = entry->second;
                if (*resident->tree == client.id) {
                        client.weight = 100;
                        client.min = 1;
                }
        }
        return trees;
}

}  // namespace

const Resident* resident_of(const World& world, ProgramId id) {
        for (const auto& resident : world.residents)
                if (resident.client == id)
                        return &resident;
        return nullptr;
}

std::optional<std::uint32_t> true_tree_max(const World& world, const Resident& resident) {
        const auto* holder = resident.tree ? resident_of(world, *resident.tree) : nullptr;
        const auto max =
                holder != nullptr ? ruled(world.scenario, holder->process->program()).max : 0;
        return max > 0 ? std::optional(max) : std::nullopt;
}

Ruled ruled(const Scenario& scenario, const Program& program) {
        const std::string executable = "/usr/bin/" + program.name;
        Ruled all{program.weight, 1, 0, false};
        std::uint32_t max = 0;
        for (const auto& rule : scenario.rules) {
                if (!fair::applies(rule, {program.user, program.name, executable}))
                        continue;
                all.weight = rule.weight.value_or(all.weight);
                all.guaranteed = rule.min.value_or(all.guaranteed);
                max = rule.max.value_or(max);
                all.ignored = rule.ignore.value_or(all.ignored);
        }
        all.guaranteed = limited(all.guaranteed, max);
        all.max = smaller(program.max, max);
        return all;
}

std::uint32_t true_max(const World& world, const Resident& resident) {
        const auto& process = *resident.process;
        const auto max = ruled(world.scenario, process.program()).max;
        const auto* held = world.held(resident);
        // The decision that told it its first number did not go by that number.
        const bool is_first =
                held == nullptr || (held->epoch == 1 && held->since == time_point(world.now));
        return process.program().behaviour == Behaviour::StartOnly && !is_first
                       ? smaller(max, process.first_told())
                       : max;
}

fair::Snapshot true_snapshot(const World& world) {
        const auto believed = world.believed();
        fair::Snapshot snapshot{
                time_point(world.now), world.known(), believed.foreign, quotas(world.scenario), {},
                believed.kept};
        for (const auto& resident : world.residents) {
                if (!resident.client || ruled(world.scenario, resident.process->program()).ignored)
                        continue;
                auto client = true_client(world, resident);
                const auto belief =
                        std::ranges::find(believed.clients, client.id, &fair::Client::id);
                if (belief != believed.clients.end()) {
                        client.wants = belief->wants;
                        client.idle = belief->idle;
                        client.light = belief->light;
                }
                snapshot.clients.push_back(std::move(client));
        }
        snapshot.trees = trees_of(world, snapshot.clients);
        return snapshot;
}

}  // namespace simulation
