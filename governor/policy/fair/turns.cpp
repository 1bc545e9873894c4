// SPDX-License-Identifier: MIT
// Account by account: what its batch programs have together goes to one gang after the other.
#include "policy/fair/turns.hpp"

#include "policy/fair/scaling.hpp"
#include "policy/fair/turn_order.hpp"
#include "policy/numbers.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

namespace governor::policy::fair {

namespace {

class Dealing {
public:
        Dealing(const Settings& settings, const Snapshot& snapshot, const Classes& classes,
                std::vector<Share>& shares)
                : settings_(settings), snapshot_(snapshot), classes_(classes), shares_(shares),
                  members_(snapshot.gangs.size()), has_turn_(snapshot.gangs.size()),
                  pace_(snapshot.gangs.size(), 1.0) {
                turns_.behind.resize(shares.size());
                turns_.most.resize(shares.size());
        }

        Turns deal() {
                for (std::size_t i = 0; i < shares_.size(); i++) {
                        const auto& client = snapshot_.clients[i];
                        if (takes_part(i))
                                members_[*client.gang].push_back(i);
                        else if (client.gang && !client.idle && !shares_[i].wants_a_part)
                                has_turn_[*client.gang] = true;
                }
                std::map<AccountId, std::vector<std::size_t>> accounts;
                for (std::size_t g = 0; g < members_.size(); g++)
                        if (!members_[g].empty())
                                accounts[settings_.turns_across_users ? AccountId{}
                                                                      : snapshot_.gangs[g].account]
                                        .push_back(g);
                if (!accounts.empty())
                        worth_.assign(shares_.size(), Worth{});  // a law is not made for each
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
                return settings_.turns && client.gang && client.takes_turns &&
                       shares_[i].is_governed && (!shares_[i].charge || yields(*client.gang)) &&
                       !shares_[i].wants_a_part && !client.idle && client.guaranteed <= 1;
        }

        [[nodiscard]] bool yields(std::size_t g) const { return snapshot_.gangs[g].yields; }

        /// `order` is of the gangs of an account. Gangs that are not known to be faster with more
        /// CPUs share, as if there were no turns, but beside others of their kind.
        void deal_among(const std::vector<std::size_t>& order) {
                std::uint32_t most = 0;
                for (const auto g : order)
                        for (const auto i : members_[g])
                                most = std::max(most, shares_[i].share);
                const auto all = sum_of(order);
                std::vector<std::size_t> in_turn;
                for (const auto g : order) {
                        has_turn_[g] = true;
                        find_law(g, all);
                        if (yields(g) || is_known(g))
                                in_turn.push_back(g);
                }
                if (in_turn.size() > 1) {
                        weigh(in_turn, all);
                        take_turns(in_turn);
                }
                deal_within_kinds(order);
                if (most <= 1 && !settings_.turns_across_users)
                        deal_one_each(order);
                if (order.size() > 1)
                        probe_widths(order);
                for (const auto g : order)
                        pace_[g] = pace_of(g);
        }

        [[nodiscard]] std::uint32_t sum_of(const std::vector<std::size_t>& gangs) const {
                std::uint32_t sum = 0;
                for (const auto g : gangs)
                        for (const auto i : members_[g])
                                sum += shares_[i].share;
                return sum;
        }

        /// Gangs of a kind are about as long. Letting one end before the others then makes none end
        /// later than if they shared what all of them have. These CPUs are dealt out anew.
        void deal_within_kinds(const std::vector<std::size_t>& order) {
                std::map<std::uint64_t, std::vector<std::size_t>> kinds;
                for (const auto g : order)
                        if (is_known(g) && has_alike(settings_, snapshot_.gangs[g]))
                                kinds[snapshot_.gangs[g].kind].push_back(g);
                for (const auto& [kind, gangs] : kinds)
                        deal_in_order(gangs);
        }

        /// Programs of which it is not known what CPUs are worth to them have one CPU each, or
        /// wait, rather than a part of one: those of a kind among themselves, and all that are the
        /// only ones of theirs. One more of the latter runs where none has two.
        void deal_one_each(const std::vector<std::size_t>& order) {
                std::vector<std::size_t> unknown;
                std::map<std::uint64_t, std::vector<std::size_t>> kinds;
                for (const auto g : order)
                        if (!is_known(g) && members_[g].size() < 2 && !yields(g)) {
                                unknown.push_back(g);
                                kinds[snapshot_.gangs[g].kind].push_back(g);
                        }
                std::vector<std::size_t> others;
                for (const auto g : unknown) {
                        const auto& [kind, alike] = *kinds.find(snapshot_.gangs[g].kind);
                        if (kind == 0 || alike.size() == 1)
                                others.push_back(g);
                        else if (alike.front() == g)
                                deal_one_each_among(alike, true);
                }
                if (sum_of(others) > 0)  // else there is nothing to wait for
                        deal_one_each_among(others, false);
        }

        /// The first has two, if others of its kind learn by that what CPUs are worth, or one has
        /// to wait anyway.
        void deal_one_each_among(const std::vector<std::size_t>& gangs, bool are_of_a_kind) {
                const auto cpus = sum_of(gangs);
                const bool shows = cpus > 2 && (are_of_a_kind || gangs.size() > cpus);
                for (const auto g : gangs) {
                        find_law(g, cpus, Law::Linear);
                        hold_to(g, shows && g == gangs.front() ? 2 : 1);
                }
                deal_in_order(gangs);
                if (!are_of_a_kind && !shows)
                        let_one_more_run(gangs);
        }

        /// The first that waits, and could have two CPUs, begins on a CPU of another one. A program
        /// that is a single region would begin it with one thread later, too, and end it alone.
        void let_one_more_run(const std::vector<std::size_t>& gangs) {
                const auto next = std::ranges::find_if(gangs, [&](std::size_t g) {
                        const auto& share = shares_[members_[g].front()];
                        return !has_turn_[g] && !is_out_of_patience(g) && share.limit > 1 &&
                               !share.quota && !share.tree_max &&
                               std::ranges::any_of(gangs, [&](std::size_t other) {
                                       return may_join(g, other);
                               });
                });
                if (next == gangs.end())
                        return;
                const auto i = members_[*next].front();
                has_turn_[*next] = true;
                shares_[i].waits = false;
                shares_[i].joins = true;
                turns_.behind[i] = 0;
        }

        /// `other` has a CPU, and both may use some of the same ones.
        [[nodiscard]] bool may_join(std::size_t g, std::size_t other) const {
                const auto cpus_of = [&](std::size_t of) -> const CpuMask& {
                        return classes_.groups()[classes_.group_of(members_[of].front())].cpus;
                };
                return shares_[members_[other].front()].share > 0 &&
                       cpus_of(g).intersects(cpus_of(other));
        }

        void deal_in_order(const std::vector<std::size_t>& gangs) {
                if (gangs.size() < 2 ||
                    std::ranges::none_of(gangs, [&](std::size_t g) { return has_turn_[g]; }))
                        return;
                const auto cpus = sum_of(gangs);
                for (std::size_t place = 0; place < gangs.size(); place++)
                        set_weight(gangs[place], weight_in(gangs, place, cpus));
                take_turns(gangs);
        }

        void hold_to(std::size_t g, std::uint32_t cpus) {
                for (const auto i : members_[g])
                        worth_[i].most = cpus;
        }

        [[nodiscard]] bool is_known(std::size_t g) const {
                return std::ranges::all_of(members_[g], [&](std::size_t i) {
                        return snapshot_.clients[i].scaling != Scaling{};
                });
        }

        /// Deals out anew what these have, by weight.
        void take_turns(const std::vector<std::size_t>& order) {
                for (const auto g : order)
                        has_turn_[g] = false;
                auto shares = counts(&Share::share);
                auto targets = counts(&Share::target);
                // A newcomer's turn is his account's affair: no stranger has to move for him.
                const bool differ = shares != targets;
                shares = deal_out(order, std::move(shares), Capacity::Reserve::Keep);
                targets = differ ? deal_out(order, std::move(targets), Capacity::Reserve::Use)
                                 : shares;
                std::uint32_t before = 0;
                for (const auto g : order) {
                        const bool runs = has_turn_[g] || is_out_of_patience(g);
                        for (const auto i : members_[g]) {
                                // The charge of a rigid one above its share stays the same.
                                if (shares_[i].charge)
                                        *shares_[i].charge += shares[i] - shares_[i].share;
                                shares_[i].share = shares[i];
                                shares_[i].target = targets[i];
                                shares_[i].starts_with = 0;
                                shares_[i].waits = !runs;
                                shares_[i].joins = false;
                                turns_.behind[i] = runs ? 0 : std::max(before, 1U);
                        }
                        before++;
                }
        }

        enum class Law : std::uint8_t { Shown, Linear };

        /// The law of members that share `cpus`. Trees that yield have shown nothing.
        void find_law(std::size_t g, std::uint32_t cpus, Law law = Law::Shown) {
                const auto prior = std::max(1.0, cpus * numbers::kPrior);
                const auto& members = members_[g];
                for (const auto i : members) {
                        auto& worth = worth_[i];
                        worth.law = yields(g) || law == Law::Linear
                                            ? linear_
                                            : shown_law(snapshot_.clients[i].scaling, prior);
                        worth.step.reset();
                        worth.all = worth.law.of(std::max(
                                1.0, double{1} * cpus / static_cast<double>(members.size())));
                }
        }

        /// Programs of one label show the same, and those of which nothing is known.
        [[nodiscard]] const SpeedupLaw& shown_law(const Scaling& scaling, double prior) {
                if (!last_law_ || last_law_->scaling != scaling || last_law_->prior != prior)
                        last_law_ = {scaling, prior, SpeedupLaw(scaling, prior)};
                return last_law_->law;
        }

        /// Weighs the gain by the next CPU of each; the first of `order` ends first. Those whose
        /// end is not known weigh the same: to let one go before the other is as likely to lose.
        void weigh(const std::vector<std::size_t>& order, std::uint32_t cpus) {
                std::vector<double> weights;
                double sum = 0;
                double unknown = 0;
                for (std::size_t place = 0; place < order.size(); place++) {
                        weights.push_back(weight_in(order, place, cpus));
                        sum += is_end_known(order[place]) ? 0 : weights.back();
                        unknown += is_end_known(order[place]) ? 0 : 1;
                }
                for (std::size_t place = 0; place < order.size(); place++)
                        set_weight(order[place],
                                   is_end_known(order[place]) ? weights[place] : sum / unknown);
        }

        [[nodiscard]] double weight_in(const std::vector<std::size_t>& order, std::size_t place,
                                       std::uint32_t cpus) const {
                const double part =
                        std::max(1.0, double{1} * cpus / static_cast<double>(order.size()));
                const auto& law = worth_[members_[order[place]].front()].law;
                return weight_of(order.size() - place, law.elasticity(part) * numbers::kCaution);
        }

        void set_weight(std::size_t g, double weight) {
                for (const auto i : members_[g])
                        worth_[i].weight =
                                weight / worth_[i].all / static_cast<double>(members_[g].size());
        }

        /// Or will be in a moment. Those that yield go one after the other in any case.
        [[nodiscard]] bool is_end_known(std::size_t g) const {
                const auto& gang = snapshot_.gangs[g];
                return yields(g) || gang.remaining || gang.is_on_trial;
        }

        [[nodiscard]] double gain(std::size_t i, std::uint32_t cpus) {
                auto& [law, all, weight, most, step] = worth_[i];
                if (!step || step->cpus != cpus) {
                        const bool follows = step && step->cpus + 1 == cpus;
                        step = {cpus, follows ? step->to : law.of(cpus), law.of(cpus + 1.0)};
                }
                return weight * (step->to - step->from);
        }

        /// Its speed, over the one that it would have on all that is dealt out. Each member of a
        /// gang without a CPU of its own is taken to have half of one.
        [[nodiscard]] double pace_of(std::size_t g) const {
                constexpr double kOfAShared = 0.5;
                const bool has_some = std::ranges::any_of(
                        members_[g], [&](std::size_t i) { return shares_[i].share > 0; });
                double sum = 0;
                for (const auto i : members_[g])
                        sum += worth_[i].law.of(has_some ? shares_[i].share : kOfAShared) /
                               worth_[i].all;
                return sum / static_cast<double>(members_[g].size());
        }

        /// Not of a gang of several: each of them may wait for the others.
        void probe_widths(const std::vector<std::size_t>& order) {
                for (const auto g : order) {
                        const auto i = members_[g].front();
                        const auto width = snapshot_.clients[i].probe_width;
                        if (!has_turn_[g] || members_[g].size() > 1 || !width ||
                            *width >= shares_[i].target)
                                continue;
                        shares_[i].target = turns_.most[i] = *width;
                        consider(snapshot_.now + numbers::kPoll);
                }
        }

        [[nodiscard]] Counts counts(std::uint32_t Share::*of) const {
                Counts counts(shares_.size());
                for (std::size_t i = 0; i < counts.size(); i++)
                        counts[i] = shares_[i].*of;
                return counts;
        }

        /// Deals out anew what the members of these gangs have in `now`.
        Counts deal_out(const std::vector<std::size_t>& order, Counts now,
                        Capacity::Reserve reserve) {
                std::uint32_t left = 0;
                for (const auto g : order)
                        for (const auto i : members_[g])
                                left += std::exchange(now[i], 0);
                Capacity capacity(classes_, snapshot_, reserve);
                for (std::size_t i = 0; i < now.size(); i++)
                        capacity.take_or_charge(i, now[i]);
                const auto one = [](std::size_t) { return 1U; };
                std::uint32_t for_impatient = left / 2;
                for (const auto g : order)
                        if (g != order.front() && is_out_of_patience(g)) {
                                const auto given =
                                        fill(capacity, members_[g], for_impatient, now, one);
                                for_impatient -= given;
                                left -= given;
                        }
                // The first runs whatever there is: at worst beside others, as without turns. A
                // gang that runs in parts waits for itself.
                has_turn_[order.front()] = true;
                left -= fill(capacity, members_[order.front()], left, now, one);
                std::vector<std::size_t> all;
                for (const auto g : order)
                        all.insert(all.end(), members_[g].begin(), members_[g].end());
                left -= fill(capacity, all, left, now, [&](std::size_t i) { return wants(i); });
                (void)fill(capacity, all, left, now, [&](std::size_t i) { return limit(i); });
                return now;
        }

        /// Gives each of its members a CPU, or none of them any. Returns how many.
        std::uint32_t begin(Capacity& capacity, std::size_t gang, std::uint32_t left,
                            Counts& cpus) {
                std::vector<std::size_t> without;
                std::ranges::copy_if(members_[gang], std::back_inserter(without),
                                     [&](std::size_t i) { return cpus[i] == 0; });
                if (without.size() > left)
                        return 0;
                auto tried = capacity;
                if (!std::ranges::all_of(without, [&](std::size_t i) { return tried.take(i); }))
                        return 0;
                for (const auto i : without)
                        cpus[i] += capacity.take(i) ? 1 : 0;
                has_turn_[gang] = true;
                return static_cast<std::uint32_t>(without.size());
        }

        [[nodiscard]] std::uint32_t wants(std::size_t i) const {
                return std::min(snapshot_.clients[i].wants.value_or(limit(i)), limit(i));
        }
        [[nodiscard]] std::uint32_t limit(std::size_t i) const {
                return std::min(shares_[i].limit, worth_[i].most);
        }

        /// Each CPU goes to the one of `clients` to which the next one is worth most. Ties go to
        /// the one that has least for its weight, then to the first. Returns how many. O((CPUs +
        /// clients) x log clients) takes.
        template <class Limit>
        std::uint32_t fill(Capacity& capacity, const std::vector<std::size_t>& clients,
                           std::uint32_t most, Counts& cpus, Limit limit) {
                // The worth of the next one, less what it has for its weight, its place from the
                // end.
                using Next = std::tuple<double, double, std::size_t>;
                std::priority_queue<Next> queue;
                const auto next = [&](std::size_t place) {
                        const auto i = clients[place];
                        return Next{gain(i, cpus[i]),
                                    -(cpus[i] + 0.5) / snapshot_.clients[i].weight,
                                    clients.size() - place};
                };
                Counts counted(clients.size());  // in the queue
                const auto enqueue = [&](std::size_t place) {
                        counted[place] = cpus[clients[place]];
                        if (counted[place] < limit(clients[place]))
                                queue.push(next(place));
                };
                for (std::size_t place = 0; place < clients.size(); place++)
                        enqueue(place);
                std::uint32_t given = 0;
                while (given < most && !queue.empty()) {
                        const auto top = queue.top();
                        const auto place = clients.size() - std::get<2>(top);
                        const auto i = clients[place];
                        queue.pop();
                        if (counted[place] != cpus[i]) {  // its gang has begun meanwhile
                                enqueue(place);
                                continue;
                        }
                        const auto gang = *snapshot_.clients[i].gang;
                        if (!has_turn_[gang] && !is_out_of_patience(gang)) {
                                given += begin(capacity, gang, most - given, cpus);
                                if (has_turn_[gang])
                                        enqueue(place);
                                continue;
                        }
                        if (!capacity.take(i))
                                continue;
                        cpus[i]++;
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
                if (has_turn_[g])
                        turns_.paces.push_back(pace_[g]);
                if (members_[g].empty())
                        return;
                if (has_turn_[g])
                        consider(next_review(settings_, gang, pace_[g], snapshot_.now));
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
        struct Step {
                std::uint32_t cpus = 0;
                double from = 0;  // speedup on these
                double to = 0;    // and on one more
        };
        struct Worth {
                SpeedupLaw law;
                double all = 1;     // speedup on all that is dealt out
                double weight = 1;  // of what it gains
                std::uint32_t most = std::numeric_limits<std::uint32_t>::max();  // CPUs
                std::optional<Step> step = {};                                   // computed
        };
        const SpeedupLaw linear_;
        std::vector<Worth> worth_;  // by client
        struct ShownLaw {
                Scaling scaling;
                double prior = 0;
                SpeedupLaw law;
        };
        std::optional<ShownLaw> last_law_;               // computed
        std::vector<std::vector<std::size_t>> members_;  // by gang: clients that take part
        std::vector<bool> has_turn_;                     // by gang
        std::vector<double> pace_;                       // by gang
        Turns turns_;
};

}  // namespace

Turns take_turns(const Settings& settings, const Snapshot& snapshot, const Classes& classes,
                 std::vector<Share>& shares) {
        return Dealing(settings, snapshot, classes, shares).deal();
}

}  // namespace governor::policy::fair
