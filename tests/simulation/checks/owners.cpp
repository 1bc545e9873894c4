// SPDX-License-Identifier: MIT
// Shares of users, from what their programs and hogs could use.
#include "simulation/checks/owners.hpp"

#include "policy/permyriad.hpp"
#include "simulation/checks/beliefs.hpp"
#include "simulation/checks/shares.hpp"
#include "simulation/checks/truth.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace simulation {

namespace {

struct User {
        double programs = 0;  ///< CPUs that its programs could use
        double hogs = 0;
        double hogs_most = 0;  ///< niced ones count for more where little of a CPU is idle
        double granted = 0;
};
using Users = std::map<std::uint32_t, User>;

/// Nothing but its user tells it from others.
bool is_plain(const World& world, const Resident& resident) {
        const auto& program = resident.process->program();
        const auto rules = ruled(world.scenario, program);
        return resident.client && is_honest(resident) && is_hungry(resident) &&
               !resident.process->stopped() && !is_young(world, resident) && !resident.tree &&
               !program.waits && !program.cgroup && program.min <= 1 && rules.guaranteed <= 1 &&
               !rules.ignored && true_max(world, resident) == 0;
}

/// True if all programs want all CPUs as far as the registry knows.
bool all_want_all(const World& world) {
        const auto believed = world.believed();
        return believed.kept.empty() &&
               std::ranges::all_of(believed.clients, [](const auto& client) {
                       return !client.wants && !client.idle && !client.light;
               });
}

bool only_users_matter(const World& world) {
        return world.disturbed + settling_time(world) + Beliefs::kLately <= world.now &&
               all_may_run_everywhere(world) && all_want_all(world) &&
               std::ranges::all_of(
                       world.residents,
                       [&](const Resident& resident) { return is_plain(world, resident); }) &&
               std::ranges::all_of(world.hogs, [](const Hog& hog) {
                       return !hog.busy() || (!hog.foreign().cgroup && !hog.foreign().cpus);
               });
}

/// On all CPUs where others want to run.
double takes_at_most(const Hog& hog, double cpus) {
        const auto& foreign = hog.foreign();
        return std::min<double>(foreign.threads,
                                cpus * (foreign.nice > 0 ? niced_part(foreign.nice) : 1));
}

/// CPUs that it takes from threads of nice 0 if it has one to itself.
double takes(const Hog& hog, double cpus) {
        const auto& foreign = hog.foreign();
        return std::min<double>(foreign.threads, cpus) *
               (foreign.nice > 0 ? niced_part(foreign.nice) : 1);
}

/// The level up to which each user gets what it could use. Users come in the order of that: a user
/// that could use less leaves the rest to those behind it.
double level(const Users& users, double cpus, double User::*hogs) {
        std::vector<double> wants;
        for (const auto& [uid, user] : users)
                wants.push_back(user.programs + user.*hogs);
        std::ranges::sort(wants);
        for (std::size_t i = 0; i < wants.size(); i++) {
                const auto part = cpus / static_cast<double>(wants.size() - i);
                if (wants[i] > part)
                        return part;
                cpus -= wants[i];
        }
        return wants.empty() ? 0 : wants.back();
}

/// The share of a user that runs programs. Hogs are left `most` of the CPUs at most, all together:
/// what is above that is the programs'.
double share_of_each(const Users& users, double cpus, double most) {
        const auto share = level(users, cpus, &User::hogs);
        double hogs = 0;
        double with_programs = 0;
        for (const auto& [uid, user] : users) {
                const bool runs_programs = user.programs > 0;
                hogs += std::min(user.hogs, runs_programs ? share * most : share);
                with_programs += runs_programs ? 1 : 0;
        }
        return share + std::max(hogs - cpus * most, 0.0) / std::max(with_programs, 1.0);
}

}  // namespace

void Owners::decided(const World& world) {
        if (!only_users_matter(world))
                return;
        const double cpus = world.known().pool().count();
        const auto most = static_cast<double>(world.scenario.governor.fair.foreign_max_permyriad) /
                          governor::policy::kPermyriad;
        Users users;
        double hidden = 0;
        for (const auto& hog : world.hogs) {
                if (!hog.busy() || hog.yields())
                        continue;
                if (const auto user = hog.foreign().user) {
                        users[*user].hogs += takes(hog, cpus);
                        users[*user].hogs_most += takes_at_most(hog, cpus);
                } else {
                        hidden += takes_at_most(hog, cpus);
                }
        }
        for (const auto& resident : world.residents) {
                auto& user = users[resident.process->program().user];
                const auto& grant = world.held(resident)->grant;
                user.programs = cpus;
                user.granted += grant.shared ? 0 : grant.threads;
        }
        hidden = std::min(hidden, cpus * most);
        const auto least = level(users, cpus - hidden, &User::hogs_most);
        const auto share = share_of_each(users, cpus, most);
        const auto tolerance = Shares::tolerance(world);
        double granted = 0;
        double fair = 0;
        double left = hidden;
        const auto followers =
                std::ranges::count_if(users, [](const auto& of) { return of.second.programs > 0; });
        for (const auto& [uid, user] : users) {
                left += std::min(user.hogs_most, share);
                if (user.hogs <= 0) {
                        granted += user.granted;
                        fair += least;
                        continue;
                }
                const auto rest = share - std::min(user.hogs, share * most);
                if (followers > 1 && user.granted > rest + tolerance)
                        violated(world, "foreign-owner",
                                 "programs of user " + std::to_string(uid) + " have " +
                                         std::to_string(user.granted) + " CPUs, and " +
                                         std::to_string(rest) + " are left of its share");
        }
        if (granted < fair - tolerance)
                violated(world, "foreign-owner",
                         "users without hogs have " + std::to_string(granted) + " CPUs, and " +
                                 std::to_string(fair) + " are theirs");
        left = std::min(left, cpus * most);
        if (world.last().foreign > left + tolerance)
                violated(world, "foreign-owner",
                         std::to_string(world.last().foreign) + " CPUs are left to hogs, and " +
                                 std::to_string(left) + " would be fair");
}

}  // namespace simulation
