// SPDX-License-Identifier: MIT
// Shares, handover, reasons.
#include "policy/fair/decide.hpp"

#include "policy/fair/capacity.hpp"
#include "policy/fair/handover.hpp"
#include "policy/fair/rounds.hpp"
#include "policy/fair/shares.hpp"
#include "policy/fair/turn_order.hpp"
#include "policy/fair/turns.hpp"
#include "policy/numbers.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace governor::policy::fair {

namespace {

/// It may run on no CPU of the pool, so nothing is decided for it: all its CPUs, as far as it
/// wants.
Grant leave_alone(const Client& client) {
        Grant grant;
        grant.id = client.id;
        grant.cpus = client.allowed;
        grant.threads = std::max(1U, client.allowed.count());
        if (client.max)
                grant.threads = std::min(grant.threads, *client.max);
        grant.reason.limit = Limit::Ungoverned;
        return grant;
}

/// It can wait, and is at no region.
bool has_not_begun(const Client& client) {
        return client.gang && (client.parked || client.granted.empty());
}

class Reasons {
public:
        Reasons(const Settings& settings, const Snapshot& snapshot, const Classes& classes,
                const std::vector<Share>& shares, const Turns& turns, const Rounds& rounds,
                const std::vector<bool>& waiting, const std::optional<Crowd>& crowd)
                : settings_(settings), snapshot_(snapshot), classes_(classes), shares_(shares),
                  turns_(turns), rounds_(rounds), waiting_(waiting), crowd_(crowd) {
                std::set<AccountId> accounts;
                for (std::size_t i = 0; i < shares.size(); i++) {
                        if (!shares[i].is_governed)
                                continue;
                        common_.programs++;
                        const auto charge = shares[i].charge.value_or(0);
                        common_.rigid += charge - std::min(charge, shares[i].share);
                        accounts.insert(snapshot.clients[i].account);
                }
                common_.accounts = static_cast<std::uint32_t>(accounts.size());
                common_.cpus = snapshot.machine.pool().count();
                common_.foreign = classes.foreign();
                common_.reserved = classes.reserved();
        }

        /// It begins no region: it is not its turn, or not yet.
        [[nodiscard]] bool is_parked(std::size_t i) const {
                return turns_.behind[i] > 0 || rounds_.behind[i] > 0 || waits_for_cpus(i);
        }

        [[nodiscard]] Reason of(std::size_t i, const Holding& holding) const {
                auto reason = common_;
                reason.own_foreign =
                        std::min(reason.foreign, classes_.foreign_of(snapshot_.clients[i].account));
                reason.share = std::max(1U, shares_[i].share);
                if (rounds_.entitled[i] > 0)
                        reason.share = rounds_.entitled[i];
                if (starts_uncharged(i, holding)) {
                        reason.share = holding.cpus.count();
                        reason.rigid = 0;
                }
                limit(i, holding, reason);
                return reason;
        }

private:
        [[nodiscard]] bool waits_for_cpus(std::size_t i) const {
                const auto& client = snapshot_.clients[i];
                return has_not_begun(client) && waiting_[*client.gang];
        }

        /// It does not have to wait for those that do not follow.
        [[nodiscard]] bool starts_uncharged(std::size_t i, const Holding& holding) const {
                return shares_[i].starts_with > 1 && holding.shared && !snapshot_.clients[i].idle;
        }

        void limit(std::size_t i, const Holding& holding, Reason& reason) const {
                const auto& client = snapshot_.clients[i];
                const auto& share = shares_[i];
                const auto threads = holding.cpus.count();
                const auto because = [&](Limit limit, std::uint32_t bound) {
                        reason.limit = limit;
                        reason.bound = bound;
                };
                if (turns_.behind[i] > 0)
                        because(Limit::Parked, turns_.behind[i]);
                else if (rounds_.behind[i] > 0)
                        because(Limit::Round, rounds_.behind[i]);
                else if (waits_for_cpus(i))
                        because(Limit::Handover, std::max(share.target, 1U));
                else if (crowd_ && crowd_->sleeps[i] && !client.idle)
                        because(Limit::Crowded, crowd_->others);
                else if (share.charge && client.burning > threads)
                        because(Limit::Rigid, client.burning);
                else if (threads < share.share && is_newcomer(settings_, client, snapshot_.now))
                        because(Limit::Newcomer, reason.share);
                else if (threads < share.target)
                        because(Limit::Handover, share.target);
                else if (client.idle && (threads <= 1 || holding.shared))
                        because(Limit::Idle, threads);
                else if (holding.shared && share.wants_a_part)
                        because(Limit::Light, 1);
                else if (holding.shared && threads == 1 && !share.tree_max)
                        because(Limit::Floor, 1);
                else if (client.is_returning(snapshot_.now) && threads >= client.resumed->threads)
                        because(Limit::Returning, client.resumed->threads);
                else if (threads >= common_.cpus)
                        because(Limit::Everything, threads);
                else if (client.max && threads >= *client.max)
                        because(Limit::OwnMax, *client.max);
                else if (share.tree_max)
                        because(Limit::TreeMax, *share.tree_max);
                else if (share.quota)
                        because(Limit::Quota, *share.quota);
                else if (threads >= share.limit)
                        because(Limit::Cpuset, share.limit);
                else if (turns_.most[i] > 0 && threads <= turns_.most[i])
                        because(Limit::Demand, turns_.most[i]);
                else if (client.wants && threads <= *client.wants &&
                         *client.wants <= std::max(share.share, threads))
                        because(Limit::Demand, *client.wants);
                else
                        because(Limit::FairShare, reason.share);
        }

        const Settings& settings_;
        const Snapshot& snapshot_;
        const Classes& classes_;
        const std::vector<Share>& shares_;
        const Turns& turns_;
        const Rounds& rounds_;
        const std::vector<bool>& waiting_;  // by gang
        const std::optional<Crowd>& crowd_;
        Reason common_;  // what all have in common
};

/// Gangs that have their turn, but have to wait until others have left their CPUs. A member that
/// began a region on a part of these would hold up the others.
std::vector<bool> still_waiting(const Settings& settings, const Snapshot& snapshot,
                                const std::vector<Share>& shares, const Rounds& rounds,
                                const std::vector<Holding>& holdings) {
        std::vector<bool> waiting(snapshot.gangs.size());
        std::vector<bool> has_waited(snapshot.gangs.size());  // long enough, for one of its members
        CpuMask held;
        CpuMask left;                              // before long
        CpuMask to_end;                            // where teams may run whose round is over
        std::map<AccountId, CpuMask> to_end_late;  // which others do not wait for any more
        for (std::size_t i = 0; i < shares.size(); i++) {
                held |= holdings[i].shared ? CpuMask{} : holdings[i].cpus;
                const auto& client = snapshot.clients[i];
                if (!shares[i].stays)
                        left |= client.in_use;
                if (client.present_team == 0 || rounds.behind[i] == 0)
                        continue;
                const bool is_late = client.team_since &&
                                     snapshot.now - *client.team_since >= settings.handover_max;
                (is_late ? to_end_late[client.account] : to_end) |= client.allowed;
        }
        left -= held;
        for (std::size_t i = 0; i < shares.size(); i++) {
                const auto& client = snapshot.clients[i];
                if (!has_not_begun(client) || client.guaranteed > 1 || shares[i].target == 0 ||
                    shares[i].starts_with > 0)
                        continue;
                const auto& gang = snapshot.gangs[*client.gang];
                const bool is_to_come = left.intersects(client.allowed);
                const bool has_less =
                        holdings[i].shared || holdings[i].cpus.count() < shares[i].target;
                const bool is_team_to_end = to_end.intersects(client.allowed) ||
                                            to_end_late[client.account].intersects(client.allowed);
                const bool lacks = client.team ? is_team_to_end || (is_to_come && has_less)
                                               : is_to_come && holdings[i].shared && settings.turns;
                const bool has_patience =
                        client.team ? !has_waited_enough(settings, client, gang, snapshot.now)
                                    : !is_out_of_patience(settings, gang, snapshot.now);
                if (lacks)
                        (has_patience ? waiting : has_waited)[*client.gang] = true;
        }
        for (std::size_t g = 0; g < waiting.size(); g++)
                waiting[g] = waiting[g] && !has_waited[g];
        return waiting;
}

/// The rounds as they hold from now on, by gang. A gang that still waits, in its round, keeps
/// nothing from others. A gang whose round is over keeps CPUs from others until its region ends.
/// Other threads than those of its region may go on all the time.
std::vector<Round> begin_rounds(const Snapshot& snapshot, std::vector<Round> rounds,
                                const std::vector<bool>& waiting) {
        if (rounds.empty())
                return rounds;  // in most decisions
        std::map<GangId, std::size_t> gangs;
        for (std::size_t g = 0; g < snapshot.gangs.size(); g++)
                gangs[snapshot.gangs[g].id] = g;
        for (auto& round : rounds) {
                const auto gang = gangs[round.id];
                round.waits = round.waits || waiting[gang];
                if (!round.waits)
                        continue;
                round.uses = 0;
                for (const auto& client : snapshot.clients)
                        round.uses += client.gang == gang
                                              ? std::max(client.present_team, client.excess)
                                              : 0;
        }
        return rounds;
}

/// Nobody loses by what yielding clients do while they are parked. A client that is parked now
/// occupies no CPU and is charged for none any more. The next decision deals out the CPUs that it
/// was charged for.
Snapshot without_yielding(const Snapshot& snapshot, Turns& turns, std::vector<Share>& shares) {
        auto left = snapshot;
        for (std::size_t i = 0; i < shares.size(); i++) {
                auto& client = left.clients[i];
                if (!client.gang || !snapshot.gangs[*client.gang].yields || turns.behind[i] == 0)
                        continue;
                client.in_use.clear();
                client.above_since.reset();
                client.lingers_since.reset();
                if (shares[i].charge && !client.parked)
                        turns.again = snapshot.now + numbers::kRest;
                shares[i].charge.reset();
                shares[i].is_rigid = shares[i].stays = false;
        }
        return left;
}

/// The next moment at which time alone changes the decision: a newcomer comes of age, a holder
/// becomes rigid, all are back, a turn or a round is over.
std::optional<TimePoint> next_change(const Settings& settings, const Snapshot& snapshot,
                                     const Turns& turns, const Rounds& rounds) {
        auto next = turns.again;
        const auto consider = [&](TimePoint at) {
                if (at > snapshot.now && (!next || at < *next))
                        next = at;
        };
        if (rounds.again)
                consider(*rounds.again);
        for (const auto& client : snapshot.clients) {
                if (client.in_stream)
                        consider(client.joined + settings.newcomer);
                if (client.resumed)
                        consider(client.resumed->settled);
                if (client.above_since)
                        consider(*client.above_since + settings.handover_max);
                if (client.lingers_since)
                        consider(*client.lingers_since + settings.handover_max);
                if (client.team_since)
                        consider(*client.team_since + settings.handover_max);
        }
        return next;
}

}  // namespace

Decision decide(const Settings& settings, const Snapshot& as_told) {
        const auto crowd = crowd_of(as_told);
        const auto beside =
                crowd ? std::optional(beside_each_other(as_told, *crowd)) : std::nullopt;
        const auto& told = beside ? *beside : as_told;
        const Classes classes(told, settings, left_to_foreign(settings, told));
        auto shares = entitle(settings, told, classes);
        auto turns = take_turns(settings, told, classes, shares);
        auto rounds = take_rounds(settings, told, classes, turns, shares);
        const bool may_yield = std::ranges::any_of(told.gangs, &Gang::yields);
        const auto left =
                may_yield ? std::optional(without_yielding(told, turns, shares)) : std::nullopt;
        const auto& snapshot = left ? *left : told;
        const auto holdings = hand_over(snapshot, classes, shares);
        const auto waiting = still_waiting(settings, snapshot, shares, rounds, holdings);
        const Reasons reasons(settings, snapshot, classes, shares, turns, rounds, waiting, crowd);

        Decision decision;
        decision.cpus = snapshot.machine.pool().count();
        decision.foreign = classes.foreign();
        decision.again = next_change(settings, snapshot, turns, rounds);
        decision.grants.reserve(shares.size());
        for (std::size_t i = 0; i < shares.size(); i++) {
                const auto& client = snapshot.clients[i];
                if (!shares[i].is_governed) {
                        decision.grants.push_back(leave_alone(client));
                        continue;
                }
                decision.grants.push_back({client.id, holdings[i].cpus.count(), holdings[i].cpus,
                                           holdings[i].shared, reasons.is_parked(i),
                                           crowd && crowd->sleeps[i], reasons.of(i, holdings[i])});
        }
        decision.turns = std::move(turns.have_one);
        decision.paces = std::move(turns.paces);
        decision.tries_crowd = crowd && crowd->is_tried;
        decision.rounds = begin_rounds(snapshot, std::move(rounds.gangs), waiting);
        return decision;
}

}  // namespace governor::policy::fair
