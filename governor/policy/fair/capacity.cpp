// SPDX-License-Identifier: MIT
// Partition refinement, and augmenting paths (L. R. Ford, D. R. Fulkerson, 1956).
#include "policy/fair/capacity.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace governor::policy::fair {

namespace {

/// A half is rounded down, in favour of clients.
std::uint32_t rounded_cpus(float millicpu) {
        return (static_cast<std::uint32_t>(millicpu) + 499) / 1000;
}

}  // namespace

Classes::Classes(const Snapshot& snapshot, const Settings& settings, const Foreign& left)
        : owned_(left.owned) {
        std::map<CpuMask, std::size_t> known;
        for (const auto& client : snapshot.clients) {
                const auto cpus = client.allowed & snapshot.machine.pool();
                if (cpus.empty()) {
                        group_of_.push_back(kNoGroup);
                        continue;
                }
                const auto [entry, is_new] = known.try_emplace(cpus, groups_.size());
                if (is_new)
                        groups_.push_back({cpus, {}});
                group_of_.push_back(entry->second);
        }
        const auto order = split(snapshot.machine.pool());
        leave_to_foreign(order, left, settings.foreign_max_permyriad);
        reserve(order, snapshot.short_lived, snapshot.machine.pool().count(),
                settings.foreign_max_permyriad);
}

std::vector<std::size_t> Classes::split(const CpuMask& pool) {
        classes_.push_back({pool, 0, 0, {}});
        std::vector<std::size_t> order{0};
        for (std::size_t g = 0; g < groups_.size(); g++) {
                const auto before = classes_.size();
                for (std::size_t k = 0; k < before; k++) {
                        auto inside = classes_[k].cpus & groups_[g].cpus;
                        if (inside.empty())
                                continue;
                        auto outside = classes_[k].cpus - inside;
                        if (!outside.empty()) {
                                order.insert(std::ranges::find(order, k) + 1, classes_.size());
                                classes_.push_back({std::move(outside), 0, 0, classes_[k].groups});
                        }
                        classes_[k].cpus = std::move(inside);
                        classes_[k].groups.push_back(g);
                }
        }
        for (std::size_t k = 0; k < classes_.size(); k++)
                for (const auto g : classes_[k].groups)
                        groups_[g].classes.push_back(k);
        for (auto& group : groups_)
                std::ranges::stable_sort(group.classes, {},
                                         [&](std::size_t k) { return classes_[k].groups.size(); });
        return order;
}

// Rounded so that no load is lost or counted twice where classes are small: what one class rounds
// away, the next one gets. The parts of a class are neighbours, so that a client that cuts a class
// moves no load from it to others. A half is rounded down, in favour of clients.
void Classes::leave_to_foreign(const std::vector<std::size_t>& order, const Foreign& foreign,
                               std::uint32_t most_permyriad) {
        std::uint64_t sum_millicpu = 0;
        std::uint64_t left = 0;
        for (const auto k : order) {
                auto& part = classes_[k];
                const std::uint64_t most = std::uint64_t{part.cpus.count()} * 1000 * most_permyriad;
                sum_millicpu +=
                        std::min<std::uint64_t>(foreign.millicpu(part.cpus), most / kPermyriad);
                part.foreign =
                        std::min(static_cast<std::uint32_t>((sum_millicpu + 499) / 1000 - left),
                                 part.cpus.count());
                left += part.foreign;
        }
}

// Nobody knows where newcomers may run: in every class its part. Bounded together with foreign
// load.
void Classes::reserve(const std::vector<std::size_t>& order, std::uint32_t cpus, std::uint32_t pool,
                      std::uint32_t most_permyriad) {
        std::uint64_t seen = 0;
        std::uint64_t given = 0;
        for (const auto k : order) {
                auto& part = classes_[k];
                const auto size = part.cpus.count();
                seen += size;
                const auto wish = seen * cpus / std::max(pool, 1U) - given;
                given += wish;
                const auto most = std::uint64_t{size} * most_permyriad / kPermyriad;
                part.reserved = static_cast<std::uint32_t>(
                        std::min(wish, most - std::min<std::uint64_t>(most, part.foreign)));
        }
}

Classes Classes::undivided() const {
        auto whole = *this;
        for (auto& part : whole.classes_)
                part.foreign = part.reserved = 0;
        whole.owned_.clear();
        return whole;
}

Classes Classes::unheld() const {
        auto unheld = *this;
        unheld.are_held_ = false;
        return unheld;
}

std::uint32_t Classes::foreign_of(AccountId account) const {
        const auto owned = std::ranges::find(owned_, account, &Foreign::Owned::account);
        return owned != owned_.end() ? rounded_cpus(owned->millicpu) : 0;
}

std::uint32_t Classes::foreign() const {
        return std::accumulate(classes_.begin(), classes_.end(), 0U,
                               [](std::uint32_t sum, const Class& c) { return sum + c.foreign; });
}

std::uint32_t Classes::reserved() const {
        return std::accumulate(classes_.begin(), classes_.end(), 0U,
                               [](std::uint32_t sum, const Class& c) { return sum + c.reserved; });
}

Capacity::Capacity(const Classes& classes, const Snapshot& snapshot, Reserve reserve)
        : classes_(classes), snapshot_(snapshot), used_(classes.classes().size()),
          flow_(classes.groups().size() * classes.classes().size()),
          below_(snapshot.cgroups.size()), in_tree_(snapshot.trees.size()),
          awaited_(classes.classes().size()), closed_(classes.classes().size()),
          full_(classes.groups().size()) {
        for (const auto& part : classes.classes())
                most_.push_back(part.cpus.count() - part.foreign -
                                (reserve == Reserve::Keep ? part.reserved : 0));
}

bool Capacity::take(std::size_t client) {
        if (full_quota(client) || full_tree(client) || !take_class(classes_.group_of(client)))
                return false;
        charge_sums(client, 1);
        return true;
}

bool Capacity::take_class(std::size_t group) {
        return !full_[group] && (take_spare(group) || make_room(group));
}

bool Capacity::take_spare(std::size_t group) {
        for (const auto k : classes_.groups()[group].classes)
                if (spare(k) > 0) {
                        used_[k]++;
                        flow_of(group, k)++;
                        return true;
                }
        return false;
}

// Breadth first from `group`: it takes a CPU of a class from another group, which takes one
// elsewhere, until a class with a spare CPU is reached. Classes that are reached without success
// will never have room again, since nothing is ever given back.
bool Capacity::make_room(std::size_t group) {
        struct Step {
                std::size_t from = Classes::kNoGroup;  // the group that takes
                std::size_t class_index = 0;           // the class that it takes in
        };
        std::vector<Step> step_to(classes_.groups().size());
        std::vector<std::size_t> reached{group};
        std::vector<bool> seen_class(used_.size());
        for (std::size_t next = 0; next < reached.size(); next++) {
                auto taker = reached[next];
                for (const auto k : classes_.groups()[taker].classes) {
                        if (seen_class[k] || closed_[k])
                                continue;
                        seen_class[k] = true;
                        if (spare(k) > 0) {
                                used_[k]++;
                                flow_of(taker, k)++;
                                while (taker != group) {
                                        const auto& step = step_to[taker];
                                        flow_of(taker, step.class_index)--;
                                        flow_of(step.from, step.class_index)++;
                                        taker = step.from;
                                }
                                return true;
                        }
                        for (const auto holder : classes_.classes()[k].groups) {
                                const bool is_reached = holder == group ||
                                                        step_to[holder].from != Classes::kNoGroup;
                                if (is_reached || flow(holder, k) == 0 || awaited_[k])
                                        continue;
                                step_to[holder] = {taker, k};
                                reached.push_back(holder);
                        }
                }
        }
        for (const auto g : reached)
                full_[g] = true;
        for (std::size_t k = 0; k < seen_class.size(); k++)
                closed_[k] = closed_[k] || seen_class[k];
        return false;
}

Capacity::Excess Capacity::keep(std::size_t client, const CpuMask& cpus) {
        const auto group = classes_.group_of(client);
        Excess excess;
        for (const auto k : classes_.groups()[group].classes) {
                const auto here = cpus & classes_.classes()[k].cpus;
                const auto fitting = std::min(here.count(), spare(k));
                used_[k] += fitting;
                flow_of(group, k) += fitting;
                if (here.count() > fitting) {
                        excess.cpus |= here;
                        excess.count += here.count() - fitting;
                }
        }
        while (excess.count > 0 && take_class(group))
                excess.count--;
        charge_sums(client, cpus.count() - excess.count);
        return excess;
}

void Capacity::occupy(std::size_t client, const CpuMask& cpus) {
        if (cpus.empty())
                return;
        for (std::size_t k = 0; k < used_.size(); k++) {
                const auto here = cpus.count_common(classes_.classes()[k].cpus);
                used_[k] += here;
                awaited_[k] = awaited_[k] || here > 0;
        }
        charge_sums(client, cpus.count());
}

void Capacity::charge(std::size_t client, std::uint32_t cpus, const CpuMask& likely) {
        const auto group = classes_.group_of(client);
        charge_sums(client, cpus);
        for (const auto k : classes_.groups()[group].classes) {
                const auto here =
                        std::min({likely.count_common(classes_.classes()[k].cpus), cpus, spare(k)});
                used_[k] += here;
                flow_of(group, k) += here;
                cpus -= here;
        }
        while (cpus > 0 && take_spare(group))
                cpus--;
}

std::optional<std::uint32_t> Capacity::full_quota(std::size_t client) const {
        const auto& cgroups = snapshot_.cgroups;
        for (auto at = snapshot_.clients[client].cgroup; at; at = cgroups[*at].parent)
                if (const auto quota = cgroups[*at].quota; quota && below_[*at] >= *quota)
                        return quota;
        return std::nullopt;
}

std::optional<std::uint32_t> Capacity::full_tree(std::size_t client) const {
        const auto tree = snapshot_.clients[client].tree;
        const auto max = tree ? snapshot_.trees[*tree].max : std::nullopt;
        return max && in_tree_[*tree] >= *max ? max : std::nullopt;
}

void Capacity::charge_sums(std::size_t client, std::uint32_t cpus) {
        const auto& from = snapshot_.clients[client];
        for (auto at = from.cgroup; at; at = snapshot_.cgroups[*at].parent)
                below_[*at] += cpus;
        if (from.tree)
                in_tree_[*from.tree] += cpus;
}

}  // namespace governor::policy::fair
