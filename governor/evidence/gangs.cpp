// SPDX-License-Identifier: MIT
// Turns are counted from decision to decision.
#include "evidence/gangs.hpp"

#include "policy/fair/turn_order.hpp"

#include <algorithm>
#include <utility>

namespace governor::evidence {

GangId Gangs::enter(const Key& key, TimePoint now) {
        const auto [entry, is_new] = by_key_.try_emplace(key, GangId{last_id_ + 1});
        if (is_new) {
                last_id_++;
                auto& gang = gangs_[entry->second];
                gang.key = key;
                gang.joined = now;
                gang.waits_since = now;
        }
        gangs_[entry->second].members++;
        return entry->second;
}

void Gangs::leave(GangId id) {
        const auto found = gangs_.find(id);
        if (found == gangs_.end() || --found->second.members > 0)
                return;
        by_key_.erase(found->second.key);
        used_by_gangs_.forget(id);
        gangs_.erase(found);
}

void Gangs::decided(const std::map<GangId, Decided>& decided, TimePoint now) {
        for (auto& [id, gang] : gangs_) {
                const auto found = decided.find(id);
                const auto what = found != decided.end() ? found->second : Decided{};
                gang.served = served(gang, now);
                gang.has_turn = what.has_turn;
                const bool runs = what.has_turn && !what.is_parked;
                gang.served_since = runs ? std::optional(now) : std::nullopt;
                gang.pace = what.pace;
                gang.cpus = what.cpus;
                if (runs && !gang.runs_since) {
                        gang.runs_since = now;
                        gang.waited = now - gang.waits_since.value_or(now);
                }
                if (runs) {
                        gang.waits_since.reset();
                        continue;
                }
                gang.waits_since = what.wants_to_run ? std::optional(policy::fair::waits_since(
                                                               show(id, now), quantum_, now))
                                                     : std::nullopt;
                if (gang.runs_since)
                        gang.had += now - *gang.runs_since;
                if (!gang.waits_since || gang.waits_since == now)
                        gang.had = std::chrono::nanoseconds{0};
                gang.runs_since.reset();
        }
}

void Gangs::take_rounds(const std::vector<policy::fair::Round>& rounds, TimePoint now) {
        std::map<GangId, UsedTime<GangId>::Use> of_gangs;
        std::map<policy::Account, UsedTime<policy::Account>::Use> of_accounts;
        for (const auto& round : rounds) {
                of_gangs[round.id] = {round.share, round.uses, round.rests};
                auto& account = of_accounts[gangs_.at(round.id).key.account];
                account.share += round.share;
                account.uses += round.uses;
                account.rests = account.rests && round.rests;
                auto& gang = gangs_.at(round.id);
                if (round.waits) {
                        gang.waits_for_round_since = gang.waits_for_round_since.value_or(now);
                        gang.round_since.reset();
                        continue;
                }
                gang.waits_for_round_since.reset();
                if (round.leads)
                        gang.round_since = gang.round_since.value_or(now);
        }
        for (auto& [id, gang] : gangs_)
                if (!of_gangs.contains(id)) {
                        gang.round_since.reset();
                        gang.waits_for_round_since.reset();
                }
        used_by_gangs_.take_part(of_gangs, now);
        used_by_accounts_.take_part(of_accounts, now);
}

policy::fair::Gang Gangs::show(GangId id, TimePoint now) const {
        policy::fair::Gang shown;
        shown.id = id;
        const auto found = gangs_.find(id);
        if (found == gangs_.end())
                return shown;
        const auto& gang = found->second;
        shown.joined = gang.joined;
        shown.has_turn = gang.has_turn;
        shown.yields = gang.key.yields;
        shown.served = served(gang, now).time;
        shown.waits_since = gang.waits_since;
        shown.runs_since = gang.runs_since;
        shown.waited = gang.waited;
        shown.had = gang.had;
        shown.round.used_s = used_by_gangs_.used_s(id, now);
        shown.round.share = used_by_gangs_.share(id);
        shown.round.since = gang.round_since;
        shown.round.waits_since = gang.waits_for_round_since;
        shown.round.account_used_s = used_by_accounts_.used_s(gang.key.account, now);
        shown.round.account_share = used_by_accounts_.share(gang.key.account);
        return shown;
}

Served Gangs::served(GangId id, TimePoint now) const {
        const auto found = gangs_.find(id);
        return found != gangs_.end() ? served(found->second, now) : Served{};
}

Served Gangs::served(const Gang& gang, TimePoint now) {
        if (!gang.served_since)
                return gang.served;
        const auto since = now - *gang.served_since;
        return {gang.served.time + std::chrono::duration_cast<std::chrono::nanoseconds>(
                                           gang.pace * std::chrono::duration<double>(since)),
                gang.served.cpu_time + gang.cpus * std::chrono::duration<double>(since),
                gang.served.turns + since};
}

}  // namespace governor::evidence
