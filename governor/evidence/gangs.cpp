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
                gang.round.used_s = least_used_s(now).value_or(0);
                gang.counted = now;
        }
        gangs_[entry->second].members++;
        return entry->second;
}

void Gangs::leave(GangId id) {
        const auto found = gangs_.find(id);
        if (found == gangs_.end() || --found->second.members > 0)
                return;
        by_key_.erase(found->second.key);
        gangs_.erase(found);
}

void Gangs::decided(const std::map<GangId, Decided>& decided, TimePoint now) {
        for (auto& [id, gang] : gangs_) {
                const auto found = decided.find(id);
                const auto what = found != decided.end() ? found->second : Decided{};
                gang.served = served(gang, now);
                gang.lends_turn = !what.wants_to_run && (gang.lends_turn || gang.has_turn);
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
        const auto least_s = least_used_s(now);
        for (auto& [id, gang] : gangs_) {
                gang.round.used_s = used_s(gang, now);
                gang.counted = now;
                gang.pace_of_use = 0;
        }
        std::map<GangId, policy::fair::Round> by_id;
        for (const auto& round : rounds)
                by_id[round.id] = round;
        for (auto& [id, gang] : gangs_) {
                const auto found = by_id.find(id);
                const bool did = std::exchange(gang.takes_rounds, found != by_id.end());
                if (!gang.takes_rounds) {
                        gang.round.since.reset();
                        gang.round.waits_since.reset();
                        continue;
                }
                const auto& round = found->second;
                gang.rests = round.rests;
                if (!did || gang.rests)
                        gang.round.used_s = std::max(gang.round.used_s, least_s.value_or(0));
                gang.round.share = round.share;
                gang.pace_of_use = round.uses / round.share;
                auto& begun = round.waits ? gang.round.waits_since : gang.round.since;
                auto& ended = round.waits ? gang.round.since : gang.round.waits_since;
                begun = begun.value_or(now);
                ended.reset();
        }
}

std::optional<double> Gangs::least_used_s(TimePoint now) const {
        std::optional<double> least_s;
        for (const auto& [id, gang] : gangs_) {
                const auto used = used_s(gang, now);
                if (gang.takes_rounds && !gang.rests)
                        least_s = std::min(least_s.value_or(used), used);
        }
        return least_s;
}

double Gangs::used_s(const Gang& gang, TimePoint now) {
        return gang.round.used_s +
               gang.pace_of_use * std::chrono::duration<double>(now - gang.counted).count();
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
        shown.yields = gang.key.tree != 0;
        shown.lends_turn = gang.lends_turn;
        shown.served = served(gang, now).time;
        shown.waits_since = gang.waits_since;
        shown.runs_since = gang.runs_since;
        shown.waited = gang.waited;
        shown.had = gang.had;
        shown.round = gang.round;
        shown.round.used_s = used_s(gang, now);
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
