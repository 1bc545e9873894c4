// SPDX-License-Identifier: MIT
// Account by account: what its batch programs have together goes to one gang after the other.
#include "policy/fair/turns.hpp"

#include "policy/fair/efficient_width.hpp"
#include "policy/fair/turn_order.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <queue>
#include <utility>

namespace governor::policy::fair {

namespace {

/// How often who is tried on fewer CPUs is looked at.
constexpr std::chrono::milliseconds kLook{50};

class Dealing {
public:
        Dealing(const Settings& settings, const Snapshot& snapshot, const Classes& classes,
                std::vector<Share>& shares)
                : settings_(settings), snapshot_(snapshot), classes_(classes), shares_(shares),
                  pays_(shares.size()), members_(snapshot.gangs.size()),
                  has_turn_(snapshot.gangs.size()), is_served_(snapshot.gangs.size()) {
                turns_.behind.resize(shares.size());
                turns_.most.resize(shares.size());
        }

        Turns deal() {
                for (std::size_t i = 0; i < shares_.size(); i++) {
                        const auto& client = snapshot_.clients[i];
                        if (takes_part(i))
                                members_[*client.gang].push_back(i);
                        else if (client.gang && !client.idle && !shares_[i].wants_a_part)
                                has_turn_[*client.gang] = is_served_[*client.gang] = true;
                }
                std::map<AccountId, std::vector<std::size_t>> accounts;
                for (std::size_t g = 0; g < members_.size(); g++)
                        if (!members_[g].empty())
                                accounts[settings_.turns_across_users ? AccountId{}
                                                                      : snapshot_.gangs[g].account]
                                        .push_back(g);
                for (auto& [account, gangs] : accounts)
                        deal_among(turn_order(settings_, snapshot_.gangs, std::move(gangs),
                                              snapshot_.now));
                for (std::size_t g = 0; g < members_.size(); g++)
                        note(g);
                return std::move(turns_);
        }

private:
        using Counts = std::vector<std::uint32_t>;  // by client

        [[nodiscard]] bool takes_part(std::size_t i) const {
                const auto& client = snapshot_.clients[i];
                return settings_.turns && client.gang && shares_[i].is_governed &&
                       (!shares_[i].charge || yields(*client.gang)) && !shares_[i].wants_a_part &&
                       !client.idle && client.guaranteed <= 1;
        }

        [[nodiscard]] bool yields(std::size_t g) const { return snapshot_.gangs[g].yields; }

        void deal_among(const std::vector<std::size_t>& order) {
                is_served_[order.front()] = true;
                if (order.size() == 1) {
                        has_turn_[order.front()] = true;
                        return;
                }
                Counts shares = counts(&Share::share);
                note_efficient_width(order, shares);
                Counts targets = counts(&Share::target);
                // A newcomer's turn is his account's affair: no stranger has to move for him.
                const bool differ = shares != targets;
                shares = deal_out(order, std::move(shares), Capacity::Reserve::Keep);
                targets = differ ? deal_out(order, std::move(targets), Capacity::Reserve::Use)
                                 : shares;
                std::uint32_t before = 0;
                for (const auto g : order) {
                        const bool runs = has_turn_[g] || is_out_of_patience(g);
                        for (const auto i : members_[g]) {
                                shares_[i].share = shares[i];
                                shares_[i].target = targets[i];
                                turns_.behind[i] = runs ? 0 : std::max(before, 1U);
                                const bool is_held = shares[i] == pays_[i] && pays_[i] < wants(i);
                                turns_.most[i] = is_held ? pays_[i] : 0;
                        }
                        is_served_[g] = is_served_[g] || has_a_quarter(g);
                        before++;
                }
                probe_widths(order);
        }

        /// Of what it makes use of.
        [[nodiscard]] bool has_a_quarter(std::size_t g) const {
                std::uint64_t has = 0;
                std::uint64_t pays = 0;
                for (const auto i : members_[g]) {
                        has += shares_[i].share;
                        pays += pays_[i];
                }
                return has_turn_[g] && 4 * has >= pays;
        }

        /// CPUs that it wants, and that pay: of a gang of several, for each. To one that yields all
        /// pay: what it has and does not use, those who wait and yield have.
        void note_efficient_width(const std::vector<std::size_t>& order, const Counts& shares) {
                std::uint32_t all = 0;
                for (const auto g : order)
                        for (const auto i : members_[g])
                                all += shares[i];
                for (const auto g : order) {
                        const auto cpus = all / static_cast<std::uint32_t>(members_[g].size());
                        const auto& gang = snapshot_.gangs[g];
                        const bool is_end_in_sight = gang.remaining || gang.is_on_trial ||
                                                     gang.served < settings_.turn_quantum;
                        const auto rule =
                                is_end_in_sight ? efficient_width : efficient_width_without_end;
                        for (const auto i : members_[g]) {
                                const auto& client = snapshot_.clients[i];
                                const auto pays = rule(cpus, order.size(), client.knee.value_or(0),
                                                       client.enough);
                                const bool all_pay = pays >= cpus || gang.yields;
                                pays_[i] = !all_pay ? std::min(pays, wants(i)) : wants(i);
                        }
                }
        }

        /// Not of a gang of several: each of them may wait for the others.
        void probe_widths(const std::vector<std::size_t>& order) {
                const auto waiting = std::ranges::count_if(
                        order, [&](std::size_t g) { return could_use_more(g); });
                for (const auto g : order) {
                        const auto i = members_[g].front();
                        const auto width = snapshot_.clients[i].probe_width;
                        const bool do_others_wait = waiting > (could_use_more(g) ? 1 : 0);
                        if (!has_turn_[g] || members_[g].size() > 1 || !do_others_wait || !width ||
                            *width >= shares_[i].target)
                                continue;
                        shares_[i].target = turns_.most[i] = *width;
                        consider(snapshot_.now + kLook);
                }
        }

        [[nodiscard]] bool could_use_more(std::size_t g) const {
                return !has_turn_[g] || std::ranges::any_of(members_[g], [&](std::size_t i) {
                        return shares_[i].share < pays_[i];
                });
        }

        [[nodiscard]] Counts counts(std::uint32_t Share::*of) const {
                Counts counts(shares_.size());
                for (std::size_t i = 0; i < counts.size(); i++)
                        counts[i] = shares_[i].*of;
                return counts;
        }

        /// What the members of these gangs have in `now`, dealt out to them anew.
        Counts deal_out(const std::vector<std::size_t>& order, Counts now,
                        Capacity::Reserve reserve) {
                std::uint32_t left = 0;
                for (const auto g : order)
                        for (const auto i : members_[g])
                                left += std::exchange(now[i], 0);
                Capacity capacity(classes_, snapshot_, reserve);
                for (std::size_t i = 0; i < now.size(); i++)
                        take(capacity, i, now[i]);
                const auto weight = [&](std::size_t i) { return snapshot_.clients[i].weight; };
                std::uint32_t for_impatient = left / 2;
                for (const auto g : order)
                        if (g != order.front() && is_out_of_patience(g)) {
                                const auto given = fill(
                                        capacity, members_[g], for_impatient, now,
                                        [](std::size_t) { return 1U; }, weight);
                                for_impatient -= given;
                                left -= given;
                        }
                // The first runs whatever there is: at worst beside others, as without turns. A
                // gang that runs in parts waits for itself.
                for (const auto g : order) {
                        if (g != order.front() && (left == 0 || !fits(capacity, g, left, now)))
                                continue;
                        has_turn_[g] = true;
                        left -= fill(
                                capacity, members_[g], left, now,
                                [&](std::size_t i) { return pays_[i]; }, weight);
                }
                std::vector<std::size_t> running;
                for (const auto g : order)
                        if (has_turn_[g])
                                running.insert(running.end(), members_[g].begin(),
                                               members_[g].end());
                const auto part = [&](std::size_t i) { return double{1} * pays_[i] * weight(i); };
                left -= fill(
                        capacity, running, left, now, [&](std::size_t i) { return wants(i); },
                        part);
                (void)fill(
                        capacity, running, left, now,
                        [&](std::size_t i) { return shares_[i].limit; }, part);
                return now;
        }

        /// Each of its members could have a CPU at least. Tried out on copies.
        [[nodiscard]] bool fits(Capacity capacity, std::size_t gang, std::uint32_t left,
                                Counts cpus) const {
                const auto one = [](std::size_t) { return 1U; };
                (void)fill(capacity, members_[gang], left, cpus, one, one);
                return std::ranges::all_of(members_[gang],
                                           [&](std::size_t i) { return cpus[i] > 0; });
        }

        [[nodiscard]] std::uint32_t wants(std::size_t i) const {
                const auto limit = shares_[i].limit;
                return std::min(snapshot_.clients[i].wants.value_or(limit), limit);
        }

        static void take(Capacity& capacity, std::size_t i, std::uint32_t cpus) {
                for (std::uint32_t k = 0; k < cpus; k++)
                        if (!capacity.take(i))
                                capacity.charge(i, 1);
        }

        /// CPUs one by one to the one of `clients` that has least for its part, of equals to the
        /// first. Returns how many. O((CPUs + clients) x log clients) takes.
        template <class Limit, class Part>
        static std::uint32_t fill(Capacity& capacity, const std::vector<std::size_t>& clients,
                                  std::uint32_t most, Counts& cpus, Limit limit, Part part) {
                using Next = std::pair<double, std::size_t>;  // and its place in `clients`
                std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
                const auto enqueue = [&](std::size_t place) {
                        const auto i = clients[place];
                        if (cpus[i] < limit(i))
                                queue.emplace((cpus[i] + 0.5) / part(i), place);
                };
                for (std::size_t place = 0; place < clients.size(); place++)
                        enqueue(place);
                std::uint32_t given = 0;
                while (given < most && !queue.empty()) {
                        const auto place = queue.top().second;
                        queue.pop();
                        if (!capacity.take(clients[place]))
                                continue;
                        cpus[clients[place]]++;
                        given++;
                        enqueue(place);
                }
                return given;
        }

        [[nodiscard]] bool is_out_of_patience(std::size_t g) const {
                return fair::is_out_of_patience(settings_, snapshot_.gangs[g], snapshot_.now);
        }

        void note(std::size_t g) {
                const auto& gang = snapshot_.gangs[g];
                if (has_turn_[g])
                        turns_.have_one.push_back(gang.id);
                if (is_served_[g])
                        turns_.are_served.push_back(gang.id);
                if (members_[g].empty())
                        return;
                if (is_served_[g])
                        consider(next_review(settings_, gang, snapshot_.now));
                if (gang.waits_since || !has_turn_[g])
                        consider(waits_since(gang, settings_.turn_quantum, snapshot_.now) +
                                 settings_.turn_max_wait);
        }

        void consider(std::optional<TimePoint> at) {
                if (at && *at > snapshot_.now && (!turns_.again || *at < *turns_.again))
                        turns_.again = at;
        }

        const Settings& settings_;
        const Snapshot& snapshot_;
        const Classes& classes_;
        std::vector<Share>& shares_;
        Counts pays_;
        std::vector<std::vector<std::size_t>> members_;  // by gang: clients that take part
        std::vector<bool> has_turn_;                     // by gang
        std::vector<bool> is_served_;                    // by gang
        Turns turns_;
};

}  // namespace

Turns take_turns(const Settings& settings, const Snapshot& snapshot, const Classes& classes,
                 std::vector<Share>& shares) {
        return Dealing(settings, snapshot, classes, shares).deal();
}

}  // namespace governor::policy::fair
