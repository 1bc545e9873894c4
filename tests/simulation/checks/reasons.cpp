// SPDX-License-Identifier: MIT
// The machine is counted once, each limit has its own arithmetic.
#include "simulation/checks/reasons.hpp"

#include "simulation/checks/truth.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace simulation {

namespace {

using governor::policy::fair::Grant;
using governor::policy::fair::Limit;
using governor::policy::fair::Reason;

bool may_run(const World& world, const Resident& resident) {
        return resident.client && !ruled(world.scenario, resident.process->program()).ignored &&
               resident.process->allowed().intersects(world.known().pool());
}

/// The numbers that are known from outside.
Reason count(const World& world) {
        Reason common;
        std::set<std::uint32_t> users;
        for (const auto& resident : world.residents) {
                if (!may_run(world, resident))
                        continue;
                common.programs++;
                users.insert(resident.process->program().user);
        }
        common.accounts = static_cast<std::uint32_t>(users.size());
        common.cpus = world.known().pool().count();
        common.foreign = world.last().foreign;
        return common;
}

std::string text(const Reason& reason) {
        return std::to_string(reason.cpus) + " CPUs, " + std::to_string(reason.foreign) +
               " foreign, " + std::to_string(reason.programs) + " programs of " +
               std::to_string(reason.accounts);
}

bool is_a_quota(const World& world, const Resident& resident, std::uint32_t bound) {
        const auto& groups = world.scenario.cgroups;
        for (auto at = resident.process->program().cgroup; at; at = groups[*at].parent)
                if (groups[*at].quota && std::ceil(*groups[*at].quota) == bound)
                        return true;
        return false;
}

/// The grant and `bound` are what `limit` says that they are.
bool agrees(const World& world, const Resident& resident, const Grant& grant) {
        const auto& reason = grant.reason;
        const auto max = true_max(world, resident);
        const auto usable = resident.process->allowed().count_common(world.known().pool());
        switch (reason.limit) {
        case Limit::Ungoverned:
                return true;
        case Limit::FairShare:
                return reason.bound <= reason.share;
        case Limit::Everything:
                return grant.threads == reason.cpus && reason.bound == reason.cpus;
        case Limit::OwnMax:
                return reason.bound == max && grant.threads == max;
        case Limit::Cpuset:
                return reason.bound == grant.threads && grant.threads == usable;
        case Limit::Quota:
                return is_a_quota(world, resident, reason.bound) && grant.threads <= reason.bound;
        case Limit::TreeMax:
                return reason.bound == true_tree_max(world, resident) &&
                       grant.threads <= reason.bound;
        case Limit::Demand:
                return grant.threads <= reason.bound;
        case Limit::Idle:
                return grant.threads == reason.bound && (grant.threads == 1 || grant.shared);
        case Limit::Floor:
                return grant.shared && grant.threads == 1 && reason.bound == 1;
        case Limit::Light:
                return grant.shared && grant.threads == 1 && reason.bound == 1;
        case Limit::Newcomer:
                return is_young(world, resident) && reason.bound == reason.share &&
                       grant.threads <= reason.bound;
        case Limit::Handover:
                return grant.threads < std::max(reason.bound, 2U) ||
                       (grant.parked && grant.threads <= reason.bound);  // with its gang
        case Limit::Returning:
                return false;  // nobody restarts the governor
        case Limit::Round:
                return grant.parked && grant.threads == 1 && reason.bound >= 1 &&
                       resident.process->program().behaviour == Behaviour::Keeper;
        case Limit::Crowded:
                return grant.crowded && !grant.parked && reason.bound >= 1 &&
                       resident.process->program().sleeps;
        case Limit::Parked:
                return grant.parked && grant.shared && grant.threads == 1 && reason.bound >= 1;
        case Limit::Rigid:
                return grant.threads < reason.bound && !grant.cpus.empty();
        }
        return false;
}

}  // namespace

void Reasons::decided(const World& world) {
        const auto common = count(world);
        for (const auto& resident : world.residents) {
                const auto* held = world.held(resident);
                if (held == nullptr || held->grant.reason.limit == Limit::Ungoverned)
                        continue;
                check_division(world, resident, common);
                check_limit(world, resident);
        }
}

void Reasons::check_division(const World& world, const Resident& resident, const Reason& common) {
        const auto& reason = world.held(resident)->grant.reason;
        if (reason.cpus != common.cpus || reason.foreign != common.foreign ||
            reason.programs != common.programs || reason.accounts != common.accounts)
                violated(world, "reasons",
                         name_of(resident) + " is told of " + text(reason) + ", and there are " +
                                 text(common));
        if (reason.share < 1 || reason.share > reason.cpus ||
            reason.foreign + reason.reserved > reason.cpus || reason.own_foreign > reason.foreign)
                violated(world, "reasons",
                         name_of(resident) + " is told of a share of " +
                                 std::to_string(reason.share) + " and " +
                                 std::to_string(reason.reserved) + " for newcomers, of " +
                                 text(reason));
        std::uint32_t kept = 0;
        for (const auto& [user, programs] : world.short_lived)
                kept = std::max(kept, programs.cpus());
        const bool is_halved = reason.foreign > 0 || kept * 2 > reason.cpus;  // or less
        const bool is_certain = !is_halved && all_may_run_everywhere(world) &&
                                world.scenario.governor.fair.foreign_max_permyriad >=
                                        governor::policy::kPermyriad / 2;
        if ((is_certain && reason.reserved == 0 && kept > 1))
                violated(world, "reasons",
                         name_of(resident) + " is told that " + std::to_string(reason.reserved) +
                                 " CPUs are kept for newcomers, who need " + std::to_string(kept));
}

void Reasons::check_limit(const World& world, const Resident& resident) {
        const auto& grant = world.held(resident)->grant;
        if (!agrees(world, resident, grant))
                violated(
                        world, "reasons",
                        name_of(resident) + " has " + std::to_string(grant.threads) +
                                " threads, and is told: " + governor::policy::fair::explain(grant) +
                                " (limit " + std::to_string(static_cast<int>(grant.reason.limit)) +
                                ", bound " + std::to_string(grant.reason.bound) + ")");
}

}  // namespace simulation
