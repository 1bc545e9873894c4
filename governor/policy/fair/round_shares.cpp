// SPDX-License-Identifier: MIT
// Weighted max-min of what can be divided: D. Bertsekas, R. Gallager, Data Networks, 1992, 6.5.2.
#include "policy/fair/round_shares.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace governor::policy::fair {

namespace {

struct Part {
        double has = 0;  // already, of something else
        double weight = 1;
        double most = 0;
        double* share = nullptr;

        [[nodiscard]] double at(double level) const {
                return std::clamp(weight * level - has, 0.0, most);
        }
};

/// Sets the shares of `parts` to as much of `whole` as they can use, and so that the least of what
/// each has, over its weight, is as large as it can be.
void divide(double whole, const std::vector<Part>& parts) {
        double low = 0;
        double high = 0;
        for (const auto& part : parts)
                high = std::max(high, (part.has + part.most) / part.weight);
        for (int bits = 0; bits < 50; bits++) {
                const auto level = (low + high) / 2;
                double used = 0;
                for (const auto& part : parts)
                        used += part.at(level);
                (used < whole ? low : high) = level;
        }
        for (const auto& part : parts)
                *part.share = part.at(high);
}

class RoundShares {
public:
        RoundShares(const Snapshot& snapshot, const Classes& classes,
                    const std::vector<Share>& shares,
                    const std::vector<std::vector<std::size_t>>& gangs)
                : snapshot_(snapshot), classes_(classes), shares_(shares), gangs_(gangs),
                  result_(gangs.size()), trees_(snapshot.trees.size()) {}

        std::vector<double> take() {
                find_accounts();
                std::map<std::size_t, Peers> peers;
                for (auto& [id, account] : accounts_)
                        if (account.group)
                                peers[*account.group].add(
                                        account.cpus,
                                        {account.others, 1, account.threads, &account.share});
                for (const auto& [group, accounts] : peers)
                        divide(accounts.cpus, accounts.parts);
                for (const auto& [id, account] : accounts_)
                        divide_inside(account);
                return std::move(result_);
        }

private:
        using Members = std::vector<std::size_t>;

        struct Account {
                std::vector<std::size_t> gangs;
                std::optional<std::size_t> group;  // that all of them are of
                double cpus = 0;                   // of all of them
                double threads = 0;
                double others = 0;  // CPUs of other clients, and of foreign load
                double share = 0;   // in the place of `cpus`
        };
        struct Tree {
                double weight = 0;  // of its clients that take part
                double others = 0;  // CPUs of its other clients
        };
        struct Peers {
                double cpus = 0;
                std::vector<Part> parts;

                void add(double of_part, const Part& part) {
                        cpus += of_part;
                        parts.push_back(part);
                }
        };

        void find_accounts() {
                for (std::size_t g = 0; g < gangs_.size(); g++) {
                        const auto& members = gangs_[g];
                        auto& account = accounts_[snapshot_.clients[members.front()].account];
                        const auto group = group_of(members);
                        if (account.gangs.empty())
                                account.group = group;
                        else if (account.group != group)
                                account.group.reset();
                        account.gangs.push_back(g);
                        account.cpus += cpus_of(members);
                        account.threads += threads_of(members);
                        for (const auto i : members)
                                if (const auto tree = snapshot_.clients[i].tree) {
                                        trees_[*tree].weight += snapshot_.clients[i].weight;
                                        trees_[*tree].others -= shares_[i].share;
                                }
                }
                for (auto& [id, account] : accounts_) {
                        account.share = account.cpus;
                        account.others = classes_.foreign_of(id) - account.cpus;
                }
                for (std::size_t i = 0; i < shares_.size(); i++) {
                        const auto found = accounts_.find(snapshot_.clients[i].account);
                        if (found != accounts_.end())
                                found->second.others += shares_[i].share;
                        if (const auto tree = snapshot_.clients[i].tree)
                                trees_[*tree].others += shares_[i].share;
                }
        }

        void divide_inside(const Account& account) {
                std::map<std::size_t, Peers> peers;
                for (const auto g : account.gangs) {
                        const auto& members = gangs_[g];
                        result_[g] = std::max(cpus_of(members), kLeastShare);
                        if (const auto group = group_of(members); group && !has_minimum(members))
                                peers[*group].add(cpus_of(members),
                                                  {others_of(members), weight_of(members),
                                                   threads_of(members), &result_[g]});
                }
                // The difference is 0 where there are several groups.
                for (const auto& [group, gangs] : peers)
                        divide(std::max(gangs.cpus + account.share - account.cpus, kLeastShare),
                               gangs.parts);
                // Each may have been raised to the least; the account has no more by that.
                double sum = 0;
                for (const auto g : account.gangs)
                        sum += result_[g];
                const auto most = std::max(account.share, kLeastShare);
                for (const auto g : account.gangs)
                        result_[g] *= std::min(1.0, most / sum);
        }

        /// Empty: its clients cannot have the CPUs of others in the place of their own.
        [[nodiscard]] std::optional<std::size_t> group_of(const Members& members) const {
                const auto group = classes_.group_of(members.front());
                const auto is_of_it = [&](std::size_t i) {
                        return classes_.group_of(i) == group && !shares_[i].quota &&
                               !shares_[i].tree_max;
                };
                return std::ranges::all_of(members, is_of_it) ? std::optional(group) : std::nullopt;
        }
        [[nodiscard]] bool has_minimum(const Members& members) const {
                return std::ranges::any_of(members, [&](std::size_t i) {
                        const auto& client = snapshot_.clients[i];
                        return client.min > 1 ||
                               (client.tree && snapshot_.trees[*client.tree].min > 1);
                });
        }
        /// Its part of the clients of its tree that take part. It must be in one.
        [[nodiscard]] double part_of_tree(const Client& client) const {
                return client.weight / trees_[*client.tree].weight;
        }
        [[nodiscard]] double weight_of(const Members& members) const {
                double weight = 0;
                for (const auto i : members) {
                        const auto& client = snapshot_.clients[i];
                        weight += client.tree ? part_of_tree(client) *
                                                        snapshot_.trees[*client.tree].weight
                                              : client.weight;
                }
                return weight;
        }
        [[nodiscard]] double others_of(const Members& members) const {
                double cpus = 0;
                for (const auto i : members)
                        if (const auto& client = snapshot_.clients[i]; client.tree)
                                cpus += part_of_tree(client) * trees_[*client.tree].others;
                return cpus;
        }
        [[nodiscard]] double cpus_of(const Members& members) const {
                double cpus = 0;
                for (const auto i : members)
                        cpus += shares_[i].share;
                return cpus;
        }
        [[nodiscard]] double threads_of(const Members& members) const {
                double threads = 0;
                for (const auto i : members)
                        threads +=
                                std::min(snapshot_.clients[i].team.value_or(1), shares_[i].limit);
                return threads;
        }

        const Snapshot& snapshot_;
        const Classes& classes_;
        const std::vector<Share>& shares_;
        const std::vector<Members>& gangs_;
        std::map<AccountId, Account> accounts_;
        std::vector<double> result_;  // by gang
        std::vector<Tree> trees_;
};

}  // namespace

std::vector<double> round_shares(const Snapshot& snapshot, const Classes& classes,
                                 const std::vector<Share>& shares,
                                 const std::vector<std::vector<std::size_t>>& gangs) {
        return RoundShares(snapshot, classes, shares, gangs).take();
}

}  // namespace governor::policy::fair
