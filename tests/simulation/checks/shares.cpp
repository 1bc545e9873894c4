// SPDX-License-Identifier: MIT
// A program that lacks CPUs for a moment is no mistake; the length of that time is measured.
#include "simulation/checks/shares.hpp"

#include "policy/permyriad.hpp"
#include "simulation/checks/truth.hpp"
#include "simulation/report/entitlement.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace simulation {

namespace {

using governor::policy::fair::Limit;
using governor::policy::fair::Snapshot;

std::string rounded(double value) {
        char text[32];
        std::snprintf(text, sizeof text, "%.2f", value);
        return text;
}

std::string seconds_text(Time span) {
        return rounded(std::chrono::duration<double>(span).count()) + " s";
}

/// Each value to its bound, where it is above that.
void lower(std::vector<double>& values, const std::vector<double>& bounds) {
        for (std::size_t i = 0; i < values.size(); i++)
                values[i] = std::min(values[i], bounds[i]);
}

/// The entitlements that hold whatever the others turn out to want, and whether or not foreign load
/// that uses a part of a CPU is left all of it. A program that wants or gets less leaves more to
/// its neighbours, but its account may take that from another account's programs on the same CPUs.
std::vector<double> certain_entitlements(const World& world, const Snapshot& snapshot) {
        const auto& settings = world.scenario.governor.fair;
        auto entitled = entitlements(settings, snapshot);
        const bool is_enough = std::ranges::all_of(world.last().grants, [&](const auto& grant) {
                const auto client = std::ranges::find(snapshot.clients, grant.id,
                                                      &governor::policy::fair::Client::id);
                const auto i = static_cast<std::size_t>(client - snapshot.clients.begin());
                return i >= entitled.size() ||
                       grant.threads >= entitled[i] - Shares::tolerance(world);
        });
        if (is_enough)
                return entitled;
        for (const EntitlementOptions& options :
             {EntitlementOptions{.by_demand = true}, EntitlementOptions{.foreign_in_parts = true},
              EntitlementOptions{.by_demand = true, .foreign_in_parts = true}})
                lower(entitled, entitlements(settings, snapshot, options));
        return entitled;
}

/// The CPUs that each client keeps while programs do not follow: of the entitlement that it would
/// have without these, and without foreign load and newcomers, the part that it keeps from all of
/// them together.
std::vector<double> kept_entitlements(const World& world, const Snapshot& snapshot) {
        const auto& settings = world.scenario.governor.fair;
        const governor::policy::fair::Foreign none;
        auto kept = certain_entitlements(world, {snapshot.now,
                                                 snapshot.machine,
                                                 none,
                                                 snapshot.cgroups,
                                                 snapshot.clients,
                                                 {},
                                                 {},
                                                 snapshot.trees});
        for (auto& cpus : kept)
                cpus *= 1 - static_cast<double>(settings.foreign_max_permyriad) /
                                    governor::policy::kPermyriad;
        return kept;
}

/// Entitlements give everybody a CPU of a quota first. The policy gives these CPUs to fewer
/// programs that want several, and a thread on another's CPU to the rest.
bool have_floors_filled_a_quota(const Snapshot& snapshot) {
        std::vector<std::uint32_t> below(snapshot.cgroups.size());
        for (const auto& client : snapshot.clients)
                for (auto group = client.cgroup; group; group = snapshot.cgroups[*group].parent)
                        below[*group]++;
        for (std::size_t g = 0; g < below.size(); g++)
                if (snapshot.cgroups[g].quota && below[g] > *snapshot.cgroups[g].quota)
                        return true;
        return false;
}

/// CPUs are dealt out whole. Client `i` may therefore lack what the shares of the others of its
/// account are rounded up by, which is up to half a CPU each.
double rounded_up_beside(const Snapshot& snapshot, const std::vector<double>& entitled,
                         std::size_t i) {
        double sum = 0;
        for (std::size_t k = 0; k < entitled.size(); k++)
                if (k != i && snapshot.clients[k].account == snapshot.clients[i].account)
                        sum += std::max(std::floor(entitled[k] + 0.5) - entitled[k], 0.0);
        return sum;
}

/// CPUs that nobody has, runs on, or should be left to others.
CpuMask unused_cpus(const World& world) {
        auto unused = world.known().pool();
        for (const auto& resident : world.residents) {
                if (const auto* held = world.held(resident))
                        unused -= held->grant.cpus;
                unused -= resident.process->occupied();
        }
        return unused;
}

/// No control group that it is in has reached its quota.
bool has_quota_left(const World& world, const Resident& resident) {
        const auto& groups = world.scenario.cgroups;
        for (auto own = resident.process->program().cgroup; own; own = groups[*own].parent) {
                if (!groups[*own].quota)
                        continue;
                std::uint32_t used = 0;
                for (const auto& other : world.residents) {
                        auto at = other.process->program().cgroup;
                        while (at && *at != *own)
                                at = groups[*at].parent;
                        const auto* held = world.held(other);
                        if (at && held != nullptr)
                                used += std::max(held->grant.threads, other.process->team());
                }
                if (used + 1 > *groups[*own].quota)
                        return false;
        }
        return true;
}

/// The programs of its tree have less than they may have together.
bool has_tree_left(const World& world, const Resident& resident) {
        const auto max = true_tree_max(world, resident);
        if (!max)
                return true;
        std::uint32_t used = 0;
        for (const auto& other : world.residents)
                if (const auto* held = world.held(other);
                    held != nullptr && other.tree == resident.tree)
                        used += std::max(held->grant.threads, other.process->team());
        return used < *max;
}

}  // namespace

void Shares::decided(const World& world) {
        if (may_be_rigid(world))
                rigid_ = world.now;
        check_newcomers(world);
        if (world.now >= next_look_) {
                next_look_ = world.now + world.scenario.governor.period / 2;
                check_shares(world);
        }
        for (const auto& resident : world.residents)
                if (const auto* held = world.held(resident))
                        watches_[resident.number].cpus =
                                held->grant.shared ? CpuMask{} : held->grant.cpus;
}

double Shares::tolerance(const World& world) {
        const auto cpus = world.known().pool().count();
        return cpus <= 4 ? kSmallTolerance : cpus <= 8 ? kMediumTolerance : kTolerance;
}

void Shares::ended(const World& world, const Resident& resident) {
        watches_.erase(resident.number);
        constexpr Time kShort = std::chrono::seconds(1);
        const auto& process = *resident.process;
        if (process.governed() && world.now - process.started() < kShort)
                short_lived_[process.program().user].push_back(world.now);
}

/// The next sample decides whether the registry still knows it after the end of that time.
bool Shares::is_in_stream(const World& world, const Resident& resident) const {
        constexpr Time kRemembered = std::chrono::seconds(10);
        // A program of a tree that keeps its team leaves its CPUs to the tree's next one.
        if (resident.process->program().behaviour == Behaviour::Keeper && resident.tree)
                return false;
        const auto ends = short_lived_.find(resident.process->program().user);
        return ends != short_lived_.end() && std::ranges::count_if(ends->second, [&](Time end) {
                                                     return world.now - end <= kRemembered;
                                             }) >= kStream;
}

bool Shares::was_rigid(const World& world) const {
        const auto reading =
                std::max<Time>(world.scenario.governor.period, std::chrono::seconds(1));
        return rigid_ != kNever && world.now - rigid_ < 2 * reading;
}

void Shares::check_newcomers(const World& world) {
        // A burn above a grant is charged until the next reading but one.
        if (was_rigid(world) || have_floors_filled_a_quota(world.believed()))
                return;
        const auto had = [&](const Resident& resident) {  // CPUs that have gone are nobody's fault
                return watches_[resident.number].cpus.count_common(world.known().pool());
        };
        if (!std::ranges::any_of(world.residents, [&](const Resident& resident) {
                    const auto* held = world.held(resident);
                    return held != nullptr && held->grant.threads < had(resident);
            }))
                return;
        auto snapshot = true_snapshot(world);
        if (std::erase_if(snapshot.clients, [&](const governor::policy::fair::Client& client) {
                    const auto& resident = *resident_of(world, client.id);
                    return is_young(world, resident) && is_in_stream(world, resident);
            }) == 0)
                return;
        const auto entitled =
                entitlements(world.scenario.governor.fair, snapshot, {.by_demand = true});
        for (std::size_t i = 0; i < snapshot.clients.size(); i++) {
                const auto* resident = resident_of(world, snapshot.clients[i].id);
                // A young program may be of a stream itself.
                if (world.turns_with_tree(*resident) || is_young(world, *resident))
                        continue;
                const auto threads = world.held(*resident)->grant.threads;
                const auto before = had(*resident);
                const auto rounded_up = rounded_up_beside(snapshot, entitled, i);
                const auto least = entitled[i] - std::max(kTolerance, rounded_up) - 0.01;
                if (threads < before && threads < least)
                        violated(world, "newcomers",
                                 name_of(*resident) + " shrinks from " + std::to_string(before) +
                                         " to " + std::to_string(threads) +
                                         ", and without newcomers "
                                         "is entitled to " +
                                         rounded(entitled[i]));
        }
}

void Shares::check_shares(const World& world) {
        const auto snapshot = true_snapshot(world);
        if (snapshot.clients.empty())
                return;
        auto entitled = certain_entitlements(world, snapshot);
        if (was_rigid(world))
                lower(entitled, kept_entitlements(world, snapshot));
        const auto unused = unused_cpus(world);
        for (std::size_t i = 0; i < snapshot.clients.size(); i++) {
                const auto* resident = resident_of(world, snapshot.clients[i].id);
                // A program that takes turns has to wait: see tests/turns_test.cpp.
                if (!snapshot.clients[i].idle && !resident->process->program().waits &&
                    !world.turns_with_tree(*resident))
                        // More than it can make use of is nothing that it lacks.
                        watch_starvation(
                                world, *resident,
                                std::min<double>(entitled[i],
                                                 snapshot.clients[i].wants.value_or(
                                                         snapshot.machine.pool().count())));
                else
                        watches_[resident->number].below_since = kNever;
                watch_conservation(world, *resident, snapshot.clients[i].max.value_or(0), unused);
        }
}

void Shares::watch_starvation(const World& world, const Resident& resident, double entitled) {
        auto& watch = watches_[resident.number];
        const auto threads = world.held(resident)->grant.threads;
        if (!is_honest(resident) || resident.process->stopped() ||
            threads >= entitled - tolerance(world)) {
                watch.below_since = kNever;
                return;
        }
        if (watch.below_since == kNever) {
                watch.below_since = world.now;
                watch.patience = Time(0);
        }
        watch.patience = std::max(watch.patience, settling_time(world));
        if (world.now - watch.below_since > watch.patience)
                violated(world, "starvation",
                         name_of(resident) + " has " + std::to_string(threads) +
                                 ", is entitled to " + rounded(entitled) +
                                 ", and has lacked them for " +
                                 seconds_text(world.now - watch.below_since));
}

void Shares::watch_conservation(const World& world, const Resident& resident, std::uint32_t max,
                                const CpuMask& unused) {
        auto& watch = watches_[resident.number];
        const auto& grant = world.held(resident)->grant;
        const auto& process = *resident.process;
        const auto left = unused.count_common(process.allowed());
        const auto others = world.last().foreign + grant.reason.reserved;
        if (!is_hungry(resident) || left <= others || (max > 0 && grant.threads >= max) ||
            grant.reason.limit == Limit::Ungoverned ||
            world.disturbed + settling_time(world) > world.now || may_be_rigid(world) ||
            !has_quota_left(world, resident) || !has_tree_left(world, resident)) {
                watch.could_since = kNever;
                return;
        }
        watch.could_since = std::min(watch.could_since, world.now);
        if (world.now - watch.could_since > settling_time(world))
                violated(world, "conservation",
                         name_of(resident) + " has " + std::to_string(grant.threads) + ", and " +
                                 std::to_string(left - others) + " more that it may use lie idle");
}

}  // namespace simulation
