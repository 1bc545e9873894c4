// SPDX-License-Identifier: MIT
// Sums and sets of one decision.
#include "simulation/checks/soundness.hpp"

#include "simulation/checks/shares.hpp"
#include "simulation/checks/truth.hpp"
#include "simulation/report/entitlement.hpp"

#include <algorithm>
#include <cmath>

namespace simulation {

namespace {

using governor::policy::fair::Grant;
using governor::policy::fair::Limit;

std::string cpus_text(const CpuMask& cpus) {
        return "{" + governor::policy::format_cpu_list(cpus.to_set()) + "}";
}

bool is_governed(const Grant& grant) { return grant.reason.limit != Limit::Ungoverned; }

}  // namespace

void Soundness::decided(const World& world) {
        for (const auto& resident : world.residents) {
                check_known(world, resident);
                if (world.held(resident) != nullptr)
                        check_grant(world, resident);
        }
        check_owners(world);
        check_machine(world);
        check_quotas(world);
        check_trees(world);
        check_foreign(world);
}

void Soundness::check_known(const World& world, const Resident& resident) {
        const auto& process = *resident.process;
        const bool is_asking =
                process.governed() && !ruled(world.scenario, process.program()).ignored;
        if (is_asking != (world.held(resident) != nullptr))
                violated(world, "well-formed",
                         name_of(resident) + (is_asking ? " is granted nothing"
                                                        : " is granted something unasked"));
}

void Soundness::check_grant(const World& world, const Resident& resident) {
        const auto& grant = world.held(resident)->grant;
        const auto& process = *resident.process;
        const auto usable = process.allowed() & world.known().pool();
        const auto complain = [&](const std::string& what) {
                violated(world, "well-formed", name_of(resident) + " " + what);
        };
        if (grant.threads < 1)
                complain("has no thread");
        if (const auto max = true_max(world, resident); max > 0 && grant.threads > max)
                complain("has " + std::to_string(grant.threads) +
                         " threads, more than its maximum " + std::to_string(max));
        if (is_governed(grant) == usable.empty())
                complain(usable.empty() ? "is governed, and may not run in the pool"
                                        : "is not governed, and may run in the pool");
        if (!is_governed(grant))
                return;
        if (grant.cpus.count() != grant.threads)
                complain("has " + std::to_string(grant.threads) + " threads and the CPUs " +
                         cpus_text(grant.cpus));
        if (!grant.cpus.is_within(usable))
                complain("has the CPUs " + cpus_text(grant.cpus) + ", but may use " +
                         cpus_text(usable));
}

void Soundness::check_owners(const World& world) {
        owners_.assign(world.scenario.machine.cpus, nullptr);
        for (const auto& resident : world.residents) {
                const auto* held = world.held(resident);
                if (held == nullptr || held->grant.shared || !is_governed(held->grant))
                        continue;
                held->grant.cpus.for_each([&](std::uint32_t cpu) {
                        if (owners_[cpu] != nullptr)
                                violated(world, "granted-once",
                                         "CPU " + std::to_string(cpu) + " belongs to " +
                                                 name_of(*owners_[cpu]) + " and " +
                                                 name_of(resident));
                        owners_[cpu] = &resident;
                });
        }
}

void Soundness::check_machine(const World& world) {
        std::uint32_t granted = 0;
        std::uint32_t floors = 0;
        for (const auto& resident : world.residents) {
                const auto* held = world.held(resident);
                if (held == nullptr || !is_governed(held->grant))
                        continue;
                granted += held->grant.threads;
                if (is_young(world, resident) || held->grant.shared)
                        floors += held->grant.threads;
                else if (held->grant.threads == 1)
                        floors++;
        }
        const auto foreign = world.last().foreign;
        const auto pool = world.known().pool().count();
        if (granted + foreign > pool + floors)
                violated(world, "within-machine",
                         std::to_string(granted) + " CPUs are granted, " + std::to_string(floors) +
                                 " of them as floors or to newcomers, and " +
                                 std::to_string(foreign) + " left to others, of " +
                                 std::to_string(pool));
}

void Soundness::check_quotas(const World& world) {
        const auto& groups = world.scenario.cgroups;
        for (std::size_t g = 0; g < groups.size(); g++) {
                if (!groups[g].quota)
                        continue;
                std::uint32_t granted = 0;
                std::uint32_t floors = 0;
                for (const auto& resident : world.residents) {
                        const auto* held = world.held(resident);
                        auto at = resident.process->program().cgroup;
                        while (at && *at != g)
                                at = groups[*at].parent;
                        if (held == nullptr || !at || !is_governed(held->grant))
                                continue;
                        granted += held->grant.shared ? 0 : held->grant.threads;
                        floors += held->grant.threads == 1 ? 1 : 0;
                }
                if (granted > std::ceil(*groups[g].quota) + floors)
                        violated(world, "within-quota",
                                 std::to_string(granted) + " CPUs are granted below " +
                                         groups[g].name + ", whose quota is " +
                                         std::to_string(*groups[g].quota));
        }
}

void Soundness::check_trees(const World& world) {
        for (const auto& holder : world.residents) {
                const auto max = true_tree_max(world, holder);
                if (!max || holder.tree != holder.client)
                        continue;
                std::uint32_t granted = 0;
                std::uint32_t floors = 0;
                for (const auto& resident : world.residents) {
                        const auto* held = world.held(resident);
                        if (held == nullptr || resident.tree != holder.client ||
                            !is_governed(held->grant))
                                continue;
                        granted += held->grant.shared ? 0 : held->grant.threads;
                        floors += held->grant.threads == 1 ? 1 : 0;
                }
                if (granted > *max + floors)
                        violated(world, "within-tree",
                                 std::to_string(granted) + " CPUs are granted in the tree of " +
                                         name_of(holder) + ", whose maximum is " +
                                         std::to_string(*max));
        }
}

void Soundness::check_foreign(const World& world) {
        if (world.last().grants.empty())
                return;
        const auto& fair = world.scenario.governor.fair;
        const auto believed = world.believed();
        const auto should = foreign_cpus(fair, believed);
        // The policy deals out whole CPUs to each user that foreign load is known to be of, and
        // keeps whole ones free.
        const auto owners =
                static_cast<double>(believed.foreign.owned.size() + believed.kept.size());
        const auto tolerance = 1.01 + owners * Shares::kTolerance;
        // Guarantees, trees and quotas leave users remainders of several CPUs: there the load is
        // left no more than as nobody's.
        auto most = should;
        if (!believed.trees.empty() ||
            std::ranges::any_of(believed.cgroups,
                                [](const auto& group) { return group.quota.has_value(); }) ||
            std::ranges::any_of(believed.clients,
                                [](const auto& client) { return client.guaranteed > 1; })) {
                const governor::policy::fair::Foreign nobodys{believed.foreign.load, {}};
                most = foreign_cpus(fair, {believed.now,
                                           believed.machine,
                                           nobodys,
                                           believed.cgroups,
                                           believed.clients,
                                           believed.kept,
                                           {},
                                           believed.trees});
        }
        if (should - world.last().foreign > tolerance || world.last().foreign - most > tolerance)
                violated(world, "foreign-load",
                         std::to_string(world.last().foreign) +
                                 " CPUs are left to others, who should have " +
                                 std::to_string(should));
}

}  // namespace simulation
