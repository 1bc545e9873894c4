// SPDX-License-Identifier: MIT
// An equal split of the pool, in one line of CPUs, for comparison.
#include "simulation/policies/policies.hpp"

#include "simulation/baselines/baselines.hpp"
#include "simulation/scenario/scenario.hpp"

#include <algorithm>
#include <array>

namespace simulation {

namespace {

using governor::policy::fair::Decision;
using governor::policy::fair::Grant;
using governor::policy::fair::Settings;
using governor::policy::fair::Snapshot;

/// Every client gets as many of the CPUs in turn. It does not matter which programs may use them or
/// still run there.
Decision split_equally(const Settings&, const Snapshot& snapshot) {
        Decision decision;
        const auto pool = snapshot.machine.pool().to_set();
        const auto clients = snapshot.clients.size();
        decision.cpus = static_cast<std::uint32_t>(pool.size());
        for (std::size_t i = 0; i < clients; i++) {
                Grant grant;
                grant.id = snapshot.clients[i].id;
                for (auto k = i * pool.size() / clients; k < (i + 1) * pool.size() / clients; k++)
                        grant.cpus.add(pool[k]);
                if (grant.cpus.empty() && !pool.empty()) {
                        grant.cpus.add(pool[i % pool.size()]);
                        grant.shared = true;
                }
                grant.threads = std::max(grant.cpus.count(), 1U);
                grant.reason.share = grant.threads;
                decision.grants.push_back(grant);
        }
        return decision;
}

constexpr std::array kPolicies{
        NamedPolicy{"fair", "the real one", {}},
        NamedPolicy{
                "naive", "an equal part of the CPUs for everybody", {split_equally}, "starvation"},
};

}  // namespace

Scenario NamedPolicy::prepared(const Scenario& scenario) const {
        auto changed = scenario;
        if (prepare != nullptr)
                prepare(changed);
        return changed;
}

std::span<const NamedPolicy> policies() { return kPolicies; }

std::vector<NamedPolicy> known_policies() {
        std::vector<NamedPolicy> all;
        for (const auto known : {policies(), baselines(), mutants(), registry_mutants()})
                all.insert(all.end(), known.begin(), known.end());
        return all;
}

std::optional<NamedPolicy> find_policy(std::string_view name) {
        const auto known = known_policies();
        const auto found = std::ranges::find(known, name, &NamedPolicy::name);
        return found != known.end() ? std::optional(*found) : std::nullopt;
}

}  // namespace simulation
