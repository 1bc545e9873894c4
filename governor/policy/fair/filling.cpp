// SPDX-License-Identifier: MIT
// Three levels of heaps: accounts, the trees of each, and the clients of each tree.
#include "policy/fair/filling.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>

namespace governor::policy::fair {

namespace {

/// A smaller one is served earlier.
struct Turn {
        bool has_minimum = true;
        double level = 0;
        bool is_new = true;  // it would not merely keep what it holds
        std::size_t index = 0;

        friend bool operator>(const Turn& a, const Turn& b) {
                if (a.has_minimum != b.has_minimum)
                        return a.has_minimum;
                if (a.level != b.level)
                        return a.level > b.level;
                return a.is_new != b.is_new ? a.is_new : a.index > b.index;
        }
};

/// A binary heap; std::priority_queue has no way to replace the top in one pass.
class Queue {
public:
        [[nodiscard]] bool empty() const { return turns_.empty(); }
        [[nodiscard]] const Turn& first() const { return turns_.front(); }
        [[nodiscard]] std::size_t next() const { return first().index; }
        void add(const Turn& turn) {
                turns_.push_back(turn);
                std::ranges::push_heap(turns_, std::greater{});
        }
        /// The next one has had its turn: it gets another one, or none.
        template <class TurnOf>
        void go_on(bool has_more, TurnOf turn_of) {
                if (has_more)
                        replace_next(turn_of(next()));
                else
                        remove_next();
        }

private:
        void remove_next() {
                std::ranges::pop_heap(turns_, std::greater{});
                turns_.pop_back();
        }
        /// Has the effect of removing the next and adding `turn`.
        void replace_next(const Turn& turn) {
                std::size_t at = 0;
                for (auto child = at + 1; child < turns_.size(); child = 2 * at + 1) {
                        if (child + 1 < turns_.size() && turns_[child] > turns_[child + 1])
                                child++;
                        if (!(turn > turns_[child]))
                                break;
                        turns_[at] = turns_[child];
                        at = child;
                }
                turns_[at] = turn;
        }

        std::vector<Turn> turns_;
};

struct AccountFill {
        std::uint32_t cpus = 0;
        Queue trees;
};

struct TreeFill {
        std::size_t account = 0;
        std::uint32_t weight = 100;
        std::uint32_t min = 1;
        std::uint32_t cpus = 0;
        Queue clients;
};

class Filling {
public:
        Filling(Capacity& capacity, const Snapshot& snapshot, const std::vector<Claim>& claims)
                : capacity_(capacity), clients_(snapshot.clients), claims_(claims),
                  cpus_(clients_.size()), held_(clients_.size()), stuck_(clients_.size()),
                  tree_of_(clients_.size()) {
                std::unordered_map<std::uint64_t, std::size_t> accounts;
                std::vector<std::optional<std::size_t>> known(snapshot.trees.size());
                trees_.reserve(clients_.size());
                for (std::size_t i = 0; i < clients_.size(); i++) {
                        if (!claims[i].takes_part)
                                continue;
                        const auto& client = clients_[i];
                        if (client.tree && known[*client.tree]) {
                                tree_of_[i] = *known[*client.tree];
                        } else {
                                tree_of_[i] = trees_.size();
                                add_tree(client, snapshot, accounts);
                        }
                        if (client.tree)
                                known[*client.tree] = tree_of_[i];
                        cpus_[i] = claims[i].start;
                        // The CPUs that an idle client is told to wake up with count, too: their
                        // number would otherwise change once it has been told.
                        // Those of a gang do not: turns and rounds gave it CPUs of others.
                        const auto held = client.is_lent() ? client.granted.count() : client.held();
                        held_[i] = client.gang || !capacity.classes().are_held() ? 0 : held;
                        tree(i).cpus += claims[i].start;
                        account(i).cpus += claims[i].start;
                }
        }

        /// `limit(i)` is the count that client i is filled up to, by its own account alone.
        template <class Limit>
        void fill_clients(Limit limit) {
                Queue queue;
                for (std::size_t i = 0; i < clients_.size(); i++)
                        if (takes_more(i, limit(i)))
                                queue.add(turn_of(i));
                while (!queue.empty() && capacity_.has_spare())
                        give_next(queue, limit);
        }

        /// Accounts first, then their trees, then the clients of these.
        template <class Limit>
        void fill_accounts(Limit limit) {
                if (!capacity_.has_spare())
                        return;
                for (std::size_t i = 0; i < clients_.size(); i++)
                        if (takes_more(i, limit(i)))
                                tree(i).clients.add(turn_of(i));
                for (std::size_t t = 0; t < trees_.size(); t++)
                        if (!trees_[t].clients.empty())
                                accounts_[trees_[t].account].trees.add(turn_of_tree(t));
                Queue queue;
                for (std::size_t a = 0; a < accounts_.size(); a++)
                        if (!accounts_[a].trees.empty())
                                queue.add(turn_of_account(a));
                while (!queue.empty() && capacity_.has_spare()) {
                        auto& account = accounts_[queue.next()];
                        auto& tree = trees_[account.trees.next()];
                        give_next(tree.clients, limit);
                        account.trees.go_on(!tree.clients.empty(),
                                            [this](std::size_t t) { return turn_of_tree(t); });
                        queue.go_on(!account.trees.empty(),
                                    [this](std::size_t a) { return turn_of_account(a); });
                }
        }

        std::vector<std::uint32_t> take_result() { return std::move(cpus_); }

private:
        void add_tree(const Client& first, const Snapshot& snapshot,
                      std::unordered_map<std::uint64_t, std::size_t>& accounts) {
                const auto id = static_cast<std::uint64_t>(first.account);
                const auto [entry, is_new] = accounts.try_emplace(id, accounts_.size());
                if (is_new)
                        accounts_.emplace_back().cpus = capacity_.left_to(first.account);
                auto& added = trees_.emplace_back();
                added.account = entry->second;
                added.weight = first.tree ? snapshot.trees[*first.tree].weight : first.weight;
                added.min = first.tree ? snapshot.trees[*first.tree].min : first.min;
        }
        [[nodiscard]] AccountFill& account(std::size_t i) { return accounts_[tree(i).account]; }
        [[nodiscard]] TreeFill& tree(std::size_t i) { return trees_[tree_of_[i]]; }
        [[nodiscard]] bool takes_more(std::size_t i, std::uint32_t limit) const {
                return claims_[i].takes_part && !stuck_[i] && cpus_[i] < limit;
        }
        [[nodiscard]] Turn turn_of(std::size_t i) const {
                return {cpus_[i] >= clients_[i].min, (cpus_[i] + 0.5) / clients_[i].weight,
                        cpus_[i] >= held_[i], i};
        }
        /// The tree would merely keep a CPU if the client whose turn it is in the tree would.
        [[nodiscard]] Turn turn_of_tree(std::size_t t) const {
                const auto& tree = trees_[t];
                return {tree.cpus >= tree.min, (tree.cpus + 0.5) / tree.weight,
                        tree.clients.first().is_new, t};
        }
        [[nodiscard]] Turn turn_of_account(std::size_t a) const {
                return {true, static_cast<double>(accounts_[a].cpus), true, a};
        }
        template <class Limit>
        void give_next(Queue& clients, Limit limit) {
                const auto i = clients.next();
                clients.go_on(give(i) && takes_more(i, limit(i)),
                              [this](std::size_t next) { return turn_of(next); });
        }
        bool give(std::size_t i) {
                if (!capacity_.take(i)) {
                        stuck_[i] = true;
                        return false;
                }
                cpus_[i]++;
                tree(i).cpus++;
                account(i).cpus++;
                return true;
        }

        Capacity& capacity_;
        const std::vector<Client>& clients_;
        const std::vector<Claim>& claims_;
        std::vector<std::uint32_t> cpus_;
        std::vector<std::uint32_t> held_;  // counted once: it is asked for with every CPU
        std::vector<bool> stuck_;
        std::vector<std::size_t> tree_of_;
        std::vector<TreeFill> trees_;
        std::vector<AccountFill> accounts_;
};

}  // namespace

std::vector<std::uint32_t> fill(Capacity& capacity, const Snapshot& snapshot,
                                const std::vector<Claim>& claims) {
        Filling filling(capacity, snapshot, claims);
        filling.fill_clients(
                [&](std::size_t i) { return std::min(claims[i].guaranteed, claims[i].limit); });
        filling.fill_accounts(
                [&](std::size_t i) { return std::min(claims[i].wants, claims[i].limit); });
        filling.fill_accounts([&](std::size_t i) { return claims[i].limit; });
        return filling.take_result();
}

}  // namespace governor::policy::fair
