// SPDX-License-Identifier: MIT
// Progressive filling with real numbers: all whose turn it is rise at once, until one of them meets
// something; then it is seen again whose turn it is.
#include "simulation/report/entitlement.hpp"

#include "policy/numbers.hpp"
#include "policy/permyriad.hpp"
#include "simulation/world/flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

namespace simulation {

namespace {

using governor::policy::CpuMask;
using governor::policy::fair::AccountId;
using Load = governor::policy::fair::Foreign;
using governor::policy::fair::Settings;
using governor::policy::fair::Snapshot;

constexpr double kEps = 1e-6;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Claimant {
        std::optional<std::size_t> client = {};  // in the snapshot; empty: foreign load
        std::size_t group = 0;                   // of those that may use the same CPUs
        std::size_t tree = 0;                    // one of its own, if it is in none
        double weight = 1;
        double floor = 1;  // 0: another has its CPUs as well
        double min = 1;
        double guaranteed = 1;
        double wants = 1;
        double most = 1;

        double has = 0;
        double rate = 0;     // at which it rises now
        double until = 0;    // where it stops doing so
        bool stuck = false;  // for good
        [[nodiscard]] double level() const { return has / weight; }
};

/// The programs of a tree, which rise together.
struct Branch {
        std::size_t account = 0;
        double weight = 1;
        double min = 1;
        double most = kInfinity;
        double has = 0;
        double rate = 0;
        double until = 0;
        std::vector<Claimant*> members;  // that can rise
        [[nodiscard]] double level() const { return has / weight; }
};

class Filling {
public:
        /// `left`: the foreign load that CPUs are left to.
        Filling(const Settings& settings, const Snapshot& snapshot,
                const EntitlementOptions& options, const Load& left);
        std::vector<double> fill();
        /// CPUs that each of these accounts' foreign load should have, which shares as a program.
        std::vector<double> fill_with(const std::vector<Load::Owned>& owned, double most);
        [[nodiscard]] double foreign() const { return foreign_; }

private:
        using Limit = double (*)(const Claimant&);
        void add_claimants(const EntitlementOptions& options);
        std::size_t account_of(AccountId id);
        std::size_t add_branch(std::size_t account, const governor::policy::fair::Client& first);
        std::size_t group_of(const CpuMask& cpus);
        void find_cells(const Settings& settings, const Load& left, bool in_parts);
        void rise_all();
        void build_network();

        void rise(Limit limit, bool by_accounts);
        bool choose_rates(Limit limit, bool by_accounts);
        template <class Part, class Most>
        static void share_rate(const std::vector<Part*>& parts, double rate, Most most);
        [[nodiscard]] double account_step() const;
        void advance(bool by_accounts);
        [[nodiscard]] double quota_step();
        [[nodiscard]] double branch_step() const;
        double cpu_step(double most);
        void mark_full_quotas();
        void mark_full_branches();
        template <class Visit>
        void for_each_below(std::size_t cgroup, Visit visit);

        const Snapshot& snapshot_;
        std::vector<Claimant> claimants_;
        std::vector<CpuMask> groups_;
        std::vector<Branch> branches_;
        std::map<AccountId, std::size_t> account_numbers_;
        std::vector<double> accounts_;  // totals
        std::vector<char> rising_;      // by account
        std::vector<CpuMask> cells_;
        std::vector<double> capacity_;  // by cell
        double foreign_ = 0;
        Flow flow_;
        std::vector<std::size_t> wish_arcs_;  // by group
};

Filling::Filling(const Settings& settings, const Snapshot& snapshot,
                 const EntitlementOptions& options, const Load& left)
        : snapshot_(snapshot) {
        add_claimants(options);
        for (const auto& [account, millicpu] : left.owned)
                accounts_[account_of(account)] += millicpu / 1000.0;
        find_cells(settings, left, options.foreign_in_parts);
}

std::size_t Filling::account_of(AccountId id) {
        const auto [entry, is_new] = account_numbers_.try_emplace(id, accounts_.size());
        if (is_new) {
                accounts_.push_back(0);
                rising_.push_back(0);
        }
        return entry->second;
}

std::size_t Filling::group_of(const CpuMask& cpus) {
        const auto known = std::ranges::find(groups_, cpus);
        const auto group = static_cast<std::size_t>(known - groups_.begin());
        if (known == groups_.end())
                groups_.push_back(cpus);
        return group;
}

void Filling::add_claimants(const EntitlementOptions& options) {
        std::map<AccountId, std::size_t> light;
        std::map<std::size_t, std::size_t> trees;  // to their branches
        for (std::size_t i = 0; i < snapshot_.clients.size(); i++) {
                const auto& client = snapshot_.clients[i];
                const auto usable = client.allowed & snapshot_.machine.pool();
                if (usable.empty())
                        continue;
                Claimant claimant;
                claimant.client = i;
                claimant.group = group_of(usable);
                const auto account = account_of(client.account);
                claimant.tree = client.tree && trees.contains(*client.tree)
                                        ? trees.at(*client.tree)
                                        : add_branch(account, client);
                if (client.tree)
                        trees[*client.tree] = claimant.tree;
                claimant.weight = client.weight;
                claimant.most = usable.count();
                if (client.max)
                        claimant.most = std::min<double>(claimant.most, *client.max);
                claimant.wants = claimant.most;
                if (options.by_demand && client.wants)
                        claimant.wants = std::min<double>(claimant.most, *client.wants);
                claimant.min = client.min;
                claimant.guaranteed = client.guaranteed;
                const bool is_light =
                        client.light && !client.idle && client.min <= 1 && client.guaranteed <= 1;
                // A program that does nothing lends even its guaranteed CPUs. One of so many
                // light programs has a CPU.
                if (client.idle ||
                    (is_light && ++light[client.account] % governor::numbers::kLightParts != 0)) {
                        claimant.floor = claimant.guaranteed = 0;
                        claimant.wants = options.by_demand ? 0 : claimant.wants;
                }
                claimants_.push_back(claimant);
        }
}

std::size_t Filling::add_branch(std::size_t account, const governor::policy::fair::Client& first) {
        Branch branch;
        branch.account = account;
        branch.weight = first.weight;
        branch.min = first.min;
        if (first.tree) {
                const auto& tree = snapshot_.trees[*first.tree];
                branch.weight = tree.weight;
                branch.min = tree.min;
                branch.most = tree.max ? *tree.max : kInfinity;
        }
        branches_.push_back(branch);
        return branches_.size() - 1;
}

void Filling::find_cells(const Settings& settings, const Load& left_to, bool in_parts) {
        std::map<std::vector<bool>, CpuMask> cells;
        snapshot_.machine.pool().for_each([&](std::uint32_t cpu) {
                std::vector<bool> users;
                for (const auto& group : groups_)
                        users.push_back(group.contains(cpu));
                cells[users].add(cpu);
        });
        const double most =
                static_cast<double>(settings.foreign_max_permyriad) / governor::policy::kPermyriad;
        const double kept = sum_of(snapshot_.kept);
        const double reserved = kept / std::max<double>(snapshot_.machine.pool().count(), 1);
        double reserved_in_all = 0;
        const auto rounded = [in_parts](double cpus) {
                return in_parts ? cpus : std::ceil(cpus - kEps);
        };
        for (auto& [users, cpus] : cells) {
                const double count = cpus.count();
                const double foreign = std::min(left_to.millicpu(cpus) / 1000.0, count * most);
                const double left = rounded(foreign);
                foreign_ += foreign;
                const double here = std::min(rounded(count * reserved),
                                             std::max(std::floor(count * most) - left, 0.0));
                reserved_in_all += here;
                capacity_.push_back(count - left - here);
                cells_.push_back(std::move(cpus));
        }
        for (const auto& [account, cpus] : snapshot_.kept)
                accounts_[account_of(account)] += reserved_in_all * cpus / kept;
}

void Filling::build_network() {
        const auto sink = groups_.size() + cells_.size() + 1;
        flow_.reset(sink + 1);
        for (std::size_t g = 0; g < groups_.size(); g++) {
                wish_arcs_.push_back(flow_.add_arc(0, g + 1, 0));
                for (std::size_t c = 0; c < cells_.size(); c++)
                        if (cells_[c].is_within(groups_[g]))
                                (void)flow_.add_arc(g + 1, groups_.size() + c + 1, kInfinity);
        }
        for (std::size_t c = 0; c < cells_.size(); c++)
                (void)flow_.add_arc(groups_.size() + c + 1, sink, capacity_[c]);
}

std::vector<double> Filling::fill() {
        build_network();
        rise([](const Claimant& claimant) { return claimant.floor; }, false);
        rise_all();
        std::vector<double> found(snapshot_.clients.size());
        for (const auto& claimant : claimants_)
                found[*claimant.client] = claimant.has;
        return found;
}

std::vector<double> Filling::fill_with(const std::vector<Load::Owned>& owned, double most) {
        for (auto& claimant : claimants_)
                claimant.guaranteed = claimant.guaranteed > 1 ? claimant.guaranteed : 0;
        const auto& pool = snapshot_.machine.pool();
        for (const auto& [account, millicpu] : owned) {
                Claimant claimant;
                claimant.group = group_of(pool);
                claimant.tree = add_branch(account_of(account), {});
                claimant.weight = 100;
                claimant.guaranteed = 0;
                claimant.wants = claimant.most = std::min(millicpu / 1000.0, most * pool.count());
                claimants_.push_back(claimant);
        }
        build_network();
        rise_all();
        std::vector<double> found;
        for (std::size_t i = 0; i < owned.size(); i++) {
                const auto& has = claimants_[claimants_.size() - owned.size() + i].has;
                const auto share = accounts_[account_of(owned[i].account)];
                found.push_back(std::min(owned[i].millicpu / 1000.0, std::max(has, share * most)));
        }
        return found;
}

void Filling::rise_all() {
        rise([](const Claimant& claimant) { return std::min(claimant.guaranteed, claimant.most); },
             false);
        rise([](const Claimant& claimant) { return claimant.wants; }, true);
        rise([](const Claimant& claimant) { return claimant.most; }, true);
}

void Filling::rise(Limit limit, bool by_accounts) {
        while (choose_rates(limit, by_accounts))
                advance(by_accounts);
}

/// False if nobody can rise any more.
bool Filling::choose_rates(Limit limit, bool by_accounts) {
        std::vector<Claimant*> all;
        for (auto& branch : branches_)
                branch.members.clear();
        for (auto& claimant : claimants_) {
                claimant.rate = 0;
                if (claimant.stuck || claimant.has >= limit(claimant) - kEps)
                        continue;
                all.push_back(&claimant);
                branches_[claimant.tree].members.push_back(&claimant);
        }
        std::ranges::fill(rising_, 0);
        if (!by_accounts) {
                share_rate(all, 1, limit);
                return !all.empty();
        }
        std::vector<std::vector<Branch*>> branches(accounts_.size());
        double lowest = kInfinity;
        for (auto& branch : branches_) {
                branch.rate = 0;
                if (branch.members.empty())
                        continue;
                branches[branch.account].push_back(&branch);
                lowest = std::min(lowest, accounts_[branch.account]);
        }
        for (std::size_t a = 0; a < branches.size(); a++) {
                if (branches[a].empty())
                        continue;
                rising_[a] = accounts_[a] <= lowest + kEps ? 1 : 2;
                if (rising_[a] == 1)
                        share_rate(branches[a], 1, [](const Branch&) { return kInfinity; });
        }
        for (auto& branch : branches_)
                if (branch.rate > 0)
                        share_rate(branch.members, branch.rate, limit);
        return !all.empty();
}

/// Those on the lowest level rise, as long as they are below the next one.
template <class Part, class Most>
void Filling::share_rate(const std::vector<Part*>& parts, double rate, Most most) {
        const bool minimum_first = std::ranges::any_of(
                parts, [](const Part* one) { return one->has < one->min - kEps; });
        const auto takes_part = [&](const Part* one) {
                return !minimum_first || one->has < one->min - kEps;
        };
        double lowest = kInfinity;
        for (const auto* one : parts)
                if (takes_part(one))
                        lowest = std::min(lowest, one->level());
        double weights = 0;
        double next = kInfinity;
        const auto is_lowest = [&](const Part* one) {
                return takes_part(one) && one->level() <= lowest + kEps / one->weight;
        };
        for (const auto* one : parts)
                if (is_lowest(one))
                        weights += one->weight;
                else if (takes_part(one))
                        next = std::min(next, one->level());
        for (auto* one : parts) {
                if (!is_lowest(one))
                        continue;
                one->rate = rate * one->weight / weights;
                one->until = std::min<double>(most(*one), next * one->weight);
                if (minimum_first)
                        one->until = std::min(one->until, one->min);
        }
}

/// The step by which the lowest accounts may rise until they meet the next one.
double Filling::account_step() const {
        double lowest = kInfinity;
        double next = kInfinity;
        for (std::size_t a = 0; a < accounts_.size(); a++)
                if (rising_[a] == 1)
                        lowest = std::min(lowest, accounts_[a]);
                else if (rising_[a] == 2)
                        next = std::min(next, accounts_[a]);
        return next - lowest;
}

void Filling::advance(bool by_accounts) {
        double step = by_accounts ? account_step() : kInfinity;
        for (const auto& claimant : claimants_)
                if (claimant.rate > 0)
                        step = std::min(step, (claimant.until - claimant.has) / claimant.rate);
        if (by_accounts)
                for (const auto& branch : branches_)
                        if (branch.rate > 0)
                                step = std::min(step, (branch.until - branch.has) / branch.rate);
        step = cpu_step(std::min({step, quota_step(), branch_step()}));
        for (auto& claimant : claimants_) {
                claimant.has += claimant.rate * step;
                branches_[claimant.tree].has += claimant.rate * step;
                accounts_[branches_[claimant.tree].account] += claimant.rate * step;
        }
        mark_full_quotas();
        mark_full_branches();
}

template <class Visit>
void Filling::for_each_below(std::size_t cgroup, Visit visit) {
        for (auto& claimant : claimants_) {
                if (!claimant.client)
                        continue;
                auto at = snapshot_.clients[*claimant.client].cgroup;
                while (at && *at != cgroup)
                        at = snapshot_.cgroups[*at].parent;
                if (at)
                        visit(claimant);
        }
}

double Filling::quota_step() {
        double step = kInfinity;
        for (std::size_t c = 0; c < snapshot_.cgroups.size(); c++) {
                if (!snapshot_.cgroups[c].quota)
                        continue;
                double has = 0;
                double rate = 0;
                for_each_below(c, [&](const Claimant& claimant) {
                        has += claimant.has;
                        rate += claimant.rate;
                });
                if (rate > 0)
                        step = std::min(step,
                                        std::max(*snapshot_.cgroups[c].quota - has, 0.0) / rate);
        }
        return step;
}

void Filling::mark_full_quotas() {
        for (std::size_t c = 0; c < snapshot_.cgroups.size(); c++) {
                if (!snapshot_.cgroups[c].quota)
                        continue;
                double has = 0;
                for_each_below(c, [&](const Claimant& claimant) { has += claimant.has; });
                if (has >= *snapshot_.cgroups[c].quota - kEps)
                        for_each_below(c, [](Claimant& claimant) { claimant.stuck = true; });
        }
}

double Filling::branch_step() const {
        std::vector<double> rates(branches_.size());
        for (const auto& claimant : claimants_)
                rates[claimant.tree] += claimant.rate;
        double step = kInfinity;
        for (std::size_t b = 0; b < branches_.size(); b++)
                if (rates[b] > 0)
                        step = std::min(step, std::max(branches_[b].most - branches_[b].has, 0.0) /
                                                      rates[b]);
        return step;
}

void Filling::mark_full_branches() {
        for (auto& claimant : claimants_)
                if (branches_[claimant.tree].has >= branches_[claimant.tree].most - kEps)
                        claimant.stuck = true;
}

/// The longest step, at most `most`, for which there are CPUs; a claimant that is in the way of a
/// longer one is stuck.
double Filling::cpu_step(double most) {
        std::vector<double> has(groups_.size());
        std::vector<double> rate(groups_.size());
        for (const auto& claimant : claimants_) {
                has[claimant.group] += claimant.has;
                rate[claimant.group] += claimant.rate;
        }
        double step = std::min(most, 2.0 * static_cast<double>(snapshot_.machine.number_limit()));
        std::vector<char> tight(groups_.size());
        const auto sink = groups_.size() + cells_.size() + 1;
        for (std::size_t rounds = groups_.size() + cells_.size() + 4; rounds > 0; rounds--) {
                double wanted = 0;
                for (std::size_t g = 0; g < groups_.size(); g++) {
                        flow_.set_capacity(wish_arcs_[g], has[g] + rate[g] * step);
                        wanted += has[g] + rate[g] * step;
                }
                if (flow_.run(0, sink) >= wanted - kEps)
                        break;
                double room = 0;
                double rising = 0;
                for (std::size_t c = 0; c < cells_.size(); c++)
                        if (flow_.reached(groups_.size() + c + 1))
                                room += capacity_[c];
                for (std::size_t g = 0; g < groups_.size(); g++)
                        if (flow_.reached(g + 1)) {
                                room -= has[g];
                                rising += rate[g];
                        }
                for (std::size_t g = 0; g < groups_.size(); g++)
                        tight[g] = flow_.reached(g + 1) ? 1 : 0;
                const double shorter = rising > 0 ? std::max(room, 0.0) / rising : 0;
                step = std::min(step, shorter);
                if (step <= 0)
                        break;
        }
        for (auto& claimant : claimants_)
                if (tight[claimant.group] != 0)
                        claimant.stuck = true;
        return step;
}

Load times(const Load& foreign, double part) {
        Load less{foreign.load, {}};
        for (auto& cpu : less.load)
                cpu = static_cast<float>(cpu * part);
        return less;
}

/// The load that accounts are known to run counts up to their own share.
Load left_to_foreign(const Settings& settings, const Snapshot& snapshot, bool in_parts) {
        const auto& foreign = snapshot.foreign;
        const double all = foreign.millicpu(snapshot.machine.pool());
        double known = 0;
        for (const auto& one : foreign.owned)
                known += one.millicpu;
        if (known <= 0 || all <= 0)
                return times(foreign, 1);
        auto owned = foreign.owned;
        for (auto& one : owned)
                one.millicpu = static_cast<float>(one.millicpu * std::min(1.0, all / known));
        auto counts = std::max(0.0, all - known);
        const double most =
                static_cast<double>(settings.foreign_max_permyriad) / governor::policy::kPermyriad;
        Filling filling(settings, snapshot, {.by_demand = true, .foreign_in_parts = in_parts},
                        times(foreign, counts / all));
        const auto cpus = filling.fill_with(owned, most);
        for (std::size_t i = 0; i < owned.size(); i++) {
                owned[i].millicpu = static_cast<float>(cpus[i] * 1000);
                counts += cpus[i] * 1000;
        }
        auto left = times(foreign, std::min(1.0, counts / all));
        left.owned = std::move(owned);
        return left;
}

}  // namespace

std::vector<double> entitlements(const Settings& settings, const Snapshot& snapshot,
                                 const EntitlementOptions& options) {
        const auto left = left_to_foreign(settings, snapshot, options.foreign_in_parts);
        return Filling(settings, snapshot, options, left).fill();
}

double foreign_cpus(const Settings& settings, const Snapshot& snapshot) {
        const auto left = left_to_foreign(settings, snapshot, true);
        return Filling(settings, snapshot, {.foreign_in_parts = true}, left).foreign();
}

}  // namespace simulation
