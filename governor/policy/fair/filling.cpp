// SPDX-License-Identifier: MIT
// Two levels of heaps: accounts, and the clients of each.
#include "policy/fair/filling.hpp"

#include <algorithm>
#include <functional>
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
        [[nodiscard]] std::size_t next() const { return turns_.front().index; }
        void add(const Turn& turn) {
                turns_.push_back(turn);
                std::ranges::push_heap(turns_, std::greater{});
        }
        void remove_next() {
                std::ranges::pop_heap(turns_, std::greater{});
                turns_.pop_back();
        }
        /// As removing the next and adding `turn`.
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

private:
        std::vector<Turn> turns_;
};

struct AccountFill {
        std::uint32_t cpus = 0;
        Queue queue;
};

class Filling {
public:
        Filling(Capacity& capacity, std::span<const Client> clients, std::span<const Claim> claims)
                : capacity_(capacity), clients_(clients), claims_(claims), cpus_(clients.size()),
                  stuck_(clients.size()), account_of_(clients.size()) {
                std::unordered_map<std::uint64_t, std::size_t> known;
                for (std::size_t i = 0; i < clients.size(); i++) {
                        if (!claims[i].takes_part)
                                continue;
                        const auto id = static_cast<std::uint64_t>(clients[i].account);
                        const auto [entry, is_new] = known.try_emplace(id, accounts_.size());
                        if (is_new)
                                accounts_.emplace_back();
                        account_of_[i] = entry->second;
                        cpus_[i] = claims[i].start;
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
                while (!queue.empty()) {
                        const auto i = queue.next();
                        if (give(i) && takes_more(i, limit(i)))
                                queue.replace_next(turn_of(i));
                        else
                                queue.remove_next();
                }
        }

        /// Accounts first, then their clients.
        template <class Limit>
        void fill_accounts(Limit limit) {
                for (std::size_t i = 0; i < clients_.size(); i++)
                        if (takes_more(i, limit(i)))
                                account(i).queue.add(turn_of(i));
                Queue queue;
                for (std::size_t a = 0; a < accounts_.size(); a++)
                        if (!accounts_[a].queue.empty())
                                queue.add(turn_of_account(a));
                while (!queue.empty()) {
                        auto& account = accounts_[queue.next()];
                        const auto i = account.queue.next();
                        if (give(i) && takes_more(i, limit(i)))
                                account.queue.replace_next(turn_of(i));
                        else
                                account.queue.remove_next();
                        if (account.queue.empty())
                                queue.remove_next();
                        else
                                queue.replace_next(turn_of_account(queue.next()));
                }
        }

        std::vector<std::uint32_t> take_result() { return std::move(cpus_); }

private:
        [[nodiscard]] AccountFill& account(std::size_t i) { return accounts_[account_of_[i]]; }
        [[nodiscard]] bool takes_more(std::size_t i, std::uint32_t limit) const {
                return claims_[i].takes_part && !stuck_[i] && cpus_[i] < limit;
        }
        [[nodiscard]] Turn turn_of(std::size_t i) const {
                return {cpus_[i] >= clients_[i].min, (cpus_[i] + 0.5) / clients_[i].weight,
                        cpus_[i] >= clients_[i].held(), i};
        }
        [[nodiscard]] Turn turn_of_account(std::size_t a) const {
                return {true, static_cast<double>(accounts_[a].cpus), true, a};
        }
        bool give(std::size_t i) {
                if (!capacity_.take(i)) {
                        stuck_[i] = true;
                        return false;
                }
                cpus_[i]++;
                account(i).cpus++;
                return true;
        }

        Capacity& capacity_;
        std::span<const Client> clients_;
        std::span<const Claim> claims_;
        std::vector<std::uint32_t> cpus_;
        std::vector<bool> stuck_;
        std::vector<std::size_t> account_of_;
        std::vector<AccountFill> accounts_;
};

}  // namespace

std::vector<std::uint32_t> fill(Capacity& capacity, std::span<const Client> clients,
                                std::span<const Claim> claims) {
        Filling filling(capacity, clients, claims);
        filling.fill_clients(
                [&](std::size_t i) { return std::min(claims[i].guaranteed, claims[i].limit); });
        filling.fill_accounts(
                [&](std::size_t i) { return std::min(claims[i].wants, claims[i].limit); });
        filling.fill_accounts([&](std::size_t i) { return claims[i].limit; });
        return filling.take_result();
}

}  // namespace governor::policy::fair
