// SPDX-License-Identifier: MIT
// Partition refinement, and augmenting paths (L. R. Ford, D. R. Fulkerson, 1956).
#include "policy/fair/capacity.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace governor::policy::fair {

namespace {

/// A half is rounded down, in favour of clients.
std::uint32_t rounded_cpus(float millicpu) {
        return (static_cast<std::uint32_t>(millicpu) + 499) / 1000;
}

}  // namespace

Classes::Classes(const Snapshot& snapshot, const Settings& settings, const Foreign& left)
        : owned_(left.owned), kept_(snapshot.kept) {
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
        const auto order = rank(cut(snapshot.machine), snapshot.machine.pool());
        leave_to_foreign(order, left, settings.foreign_max_permyriad);
        reserve(order, sum_of(kept_), snapshot.machine.pool().count(),
                settings.foreign_max_permyriad);
}

// CPU by CPU. One that is alone in its part is not looked at again: a few random sets of CPUs cut
// the pool into single ones.
Classes::Parts Classes::cut(const Machine& machine) {
        Parts parts{{machine.pool().count()}, {kNone}};
        auto& sizes = parts.sizes;
        class_of_.resize(machine.number_limit());
        auto together = machine.pool();
        for (const auto& group : groups_) {
                const auto here = together & group.cpus;
                std::vector<std::uint32_t> inside(sizes.size());
                here.for_each([&](std::uint32_t cpu) { inside[class_of_[cpu]]++; });
                std::vector<std::uint32_t> outside(sizes.size());  // where the others belong
                std::iota(outside.begin(), outside.end(), 0);
                for (std::size_t k = 0; k < inside.size(); k++)
                        if (inside[k] > 0 && inside[k] < sizes[k]) {
                                outside[k] = static_cast<std::uint32_t>(sizes.size());
                                sizes.push_back(sizes[k] - inside[k]);
                                sizes[k] = inside[k];
                                parts.next.push_back(std::exchange(parts.next[k], outside[k]));
                        }
                if (sizes.size() == inside.size())
                        continue;
                (together - here).for_each([&](std::uint32_t cpu) {
                        class_of_[cpu] = outside[class_of_[cpu]];
                });
                std::exchange(together, {}).for_each([&](std::uint32_t cpu) {
                        if (sizes[class_of_[cpu]] > 1)
                                together.add(cpu);
                });
        }
        return parts;
}

std::vector<std::size_t> Classes::rank(const Parts& parts, const CpuMask& pool) {
        CpuMask firsts;  // one CPU of each part
        std::vector<bool> has_one(parts.sizes.size());
        pool.for_each([&](std::uint32_t cpu) {
                if (!has_one[class_of_[cpu]])
                        firsts.add(cpu);
                has_one[class_of_[cpu]] = true;
        });
        std::vector<std::uint32_t> rivals(parts.sizes.size());
        for (const auto& group : groups_)
                (group.cpus & firsts).for_each([&](std::uint32_t cpu) {
                        rivals[class_of_[cpu]]++;
                });
        std::vector<std::uint32_t> ranked(parts.sizes.size());
        std::iota(ranked.begin(), ranked.end(), 0);
        std::ranges::stable_sort(ranked, {}, [&](std::uint32_t part) { return rivals[part]; });
        std::vector<std::uint32_t> place(ranked.size());
        for (std::uint32_t k = 0; k < ranked.size(); k++) {
                place[ranked[k]] = k;
                auto& made = classes_.emplace_back();
                made.part = ranked[k];
                made.size = parts.sizes[ranked[k]];
        }
        pool.for_each([&](std::uint32_t cpu) {
                class_of_[cpu] = place[class_of_[cpu]];
                classes_[class_of_[cpu]].cpus.add(cpu);
        });
        for (auto& group : groups_)
                (group.cpus & firsts).for_each([&](std::uint32_t cpu) {
                        group.classes.add(class_of_[cpu]);
                });
        std::vector<std::size_t> order;
        for (std::uint32_t part = 0; part != kNone; part = parts.next[part])
                order.push_back(place[part]);
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
                const std::uint64_t most = std::uint64_t{part.size} * 1000 * most_permyriad;
                sum_millicpu +=
                        std::min<std::uint64_t>(foreign.millicpu(part.cpus), most / kPermyriad);
                part.foreign = std::min(
                        static_cast<std::uint32_t>((sum_millicpu + 499) / 1000 - left), part.size);
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
                seen += part.size;
                const auto wish = seen * cpus / std::max(pool, 1U) - given;
                given += wish;
                const auto most = std::uint64_t{part.size} * most_permyriad / kPermyriad;
                part.reserved = static_cast<std::uint32_t>(
                        std::min(wish, most - std::min<std::uint64_t>(most, part.foreign)));
        }
}

Classes Classes::undivided() const {
        auto whole = *this;
        for (auto& part : whole.classes_)
                part.foreign = part.reserved = 0;
        whole.owned_.clear();
        whole.kept_.clear();
        return whole;
}

Classes Classes::without(const std::vector<Foreign::Owned>& loads) const {
        auto rest = *this;
        for (const auto& [account, millicpu] : loads) {
                auto owned = std::ranges::find(rest.owned_, account, &Foreign::Owned::account);
                if (owned == rest.owned_.end())
                        continue;
                auto gone = std::min(rounded_cpus(millicpu), rounded_cpus(owned->millicpu));
                owned->millicpu -= std::min(millicpu, owned->millicpu);
                for (auto& part : rest.classes_) {
                        const auto here = std::min(part.foreign, gone);
                        part.foreign -= here;
                        gone -= here;
                }
        }
        return rest;
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

std::uint32_t Classes::reserved_of(AccountId account) const {
        const auto kept = std::ranges::find(kept_, account, &Kept::account);
        return kept != kept_.end() ? kept->cpus * reserved() / std::max(sum_of(kept_), 1U) : 0;
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
        : classes_(classes), snapshot_(snapshot), reserve_(reserve),
          used_(classes.classes().size()), flow_(classes.classes().size()),
          below_(snapshot.cgroups.size()), in_tree_(snapshot.trees.size()),
          full_(classes.groups().size()) {
        for (const auto& part : classes.classes()) {
                most_.push_back(part.size - part.foreign -
                                (reserve == Reserve::Keep ? part.reserved : 0));
                if (most_.back() > 0)
                        spare_.add(static_cast<std::uint32_t>(most_.size() - 1));
        }
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

void Capacity::use(std::size_t class_index, std::uint32_t cpus) {
        used_[class_index] += cpus;
        if (spare(class_index) == 0)
                spare_.remove(static_cast<std::uint32_t>(class_index));
}

bool Capacity::take_spare(std::size_t group) {
        const auto k = classes_.groups()[group].classes.first_common(spare_);
        if (!k)
                return false;
        use(*k, 1);
        flow_.of(group, *k)++;
        return true;
}

// Breadth first from `group`: it takes a CPU of a class from another group, which takes one
// elsewhere, until a class with a spare CPU is reached. Classes that are reached without success
// will never have room again, since nothing is ever given back.
bool Capacity::make_room(std::size_t group) {
        struct Step {
                std::size_t taker = 0;
                std::size_t before = 0;         // the step that takes from this taker
                std::uint32_t class_index = 0;  // in this class
        };
        std::vector<Step> steps{{group}};
        std::vector<bool> is_reached(classes_.groups().size());
        is_reached[group] = true;
        auto seen = closed_;
        for (std::size_t at = 0; at < steps.size(); at++) {
                const auto& may_use = classes_.groups()[steps[at].taker].classes;
                if (take_spare(steps[at].taker)) {
                        for (auto to = at; to != 0; to = steps[to].before) {
                                const auto& step = steps[to];
                                flow_.of(step.taker, step.class_index)--;
                                flow_.of(steps[step.before].taker, step.class_index)++;
                        }
                        return true;
                }
                const auto fresh = may_use - seen;
                seen |= fresh;
                (fresh - awaited_).for_each([&](std::uint32_t k) {
                        flow_.for_each_in(k, [&](std::size_t holder, std::uint32_t) {
                                if (!is_reached[holder])
                                        steps.push_back({holder, at, k});
                                is_reached[holder] = true;
                        });
                });
        }
        for (const auto& step : steps)
                full_[step.taker] = true;
        closed_ = seen;
        return false;
}

Capacity::Excess Capacity::keep(std::size_t client, const CpuMask& cpus) {
        const auto group = classes_.group_of(client);
        Excess excess;
        classes_.for_each_of(cpus, [&](std::uint32_t k, std::uint32_t here) {
                const auto fitting = std::min(here, spare(k));
                use(k, fitting);
                flow_.of(group, k) += fitting;
                if (here > fitting) {
                        excess.cpus |= cpus & classes_.classes()[k].cpus;
                        excess.count += here - fitting;
                }
        });
        while (excess.count > 0 && take_class(group))
                excess.count--;
        charge_sums(client, cpus.count() - excess.count);
        return excess;
}

void Capacity::occupy(std::size_t client, const CpuMask& cpus) {
        classes_.for_each_of(cpus, [&](std::uint32_t k, std::uint32_t here) {
                use(k, here);
                awaited_.add(k);
        });
        charge_sums(client, cpus.count());
}

void Capacity::charge(std::size_t client, std::uint32_t cpus, const CpuMask& likely) {
        const auto group = classes_.group_of(client);
        charge_sums(client, cpus);
        classes_.for_each_of(likely & classes_.groups()[group].cpus,
                             [&](std::uint32_t k, std::uint32_t count) {
                                     const auto here = std::min({count, cpus, spare(k)});
                                     use(k, here);
                                     flow_.of(group, k) += here;
                                     cpus -= here;
                             });
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
