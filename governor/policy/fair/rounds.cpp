// SPDX-License-Identifier: MIT
// Gang scheduling (J. Ousterhout, Scheduling Techniques for Concurrent Systems, 1982), where the
// next gang is the one that has used least of its share, as in stride scheduling (C. Waldspurger,
// W. Weihl, 1995).
#include "policy/fair/rounds.hpp"

#include "policy/fair/round_shares.hpp"
#include "policy/numbers.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <tuple>
#include <utility>

namespace governor::policy::fair {

namespace {

using Seconds = std::chrono::duration<double>;

struct Team {
        std::size_t gang = 0;
        std::vector<std::size_t> members;  // clients
        std::uint32_t threads = 0;
        double share = 0;
        double uses = 0;  // CPUs that it keeps from others in its round
        bool is_interactive = false;
        bool rests = true;
};

class RoundRobin {
public:
        RoundRobin(const Settings& settings, const Snapshot& snapshot, const Classes& classes,
                   const Turns& turns, std::vector<Share>& shares)
                : settings_(settings), snapshot_(snapshot), classes_(classes), turns_(turns),
                  shares_(shares) {}

        Rounds deal() {
                rounds_.behind.resize(shares_.size());
                rounds_.entitled.resize(shares_.size());
                auto teams = find_teams();
                if (teams.size() < 2 ||
                    std::ranges::all_of(teams, [&](const Team& team) { return fits(team); }))
                        return std::move(rounds_);
                length_ = length_of_rounds(teams);
                longest_wait_ = length_ * (teams.size() - 1);
                for (const auto& team : teams) {
                        const auto& round = gang(team).round;
                        const auto [least, is_new] =
                                least_s_.try_emplace(gang(team).account, round.used_s);
                        least->second = std::min(least->second, round.used_s);
                        least_of_accounts_s_ =
                                std::min(least_of_accounts_s_.value_or(round.account_used_s),
                                         round.account_used_s);
                }
                std::ranges::stable_sort(teams, {}, [&](const Team& team) {
                        const auto& round = gang(team).round;
                        const bool is_in = round.since && snapshot_.now - *round.since < length_;
                        return std::tuple(team.rests, !is_in, !is_due(team), round.account_used_s,
                                          used_s(team));
                });
                Capacity left(classes_, snapshot_, Capacity::Reserve::Use);
                take_of_others(left, teams);
                std::uint32_t running = 0;
                for (const auto& team : teams)
                        running += begin(left, team, running);
                charge_what_is_left(left, teams);
                if (running < teams.size())
                        review(teams);
                return std::move(rounds_);
        }

private:
        [[nodiscard]] const Gang& gang(const Team& team) const {
                return snapshot_.gangs[team.gang];
        }

        [[nodiscard]] std::uint32_t threads_of(std::size_t i) const {
                return std::min(snapshot_.clients[i].team.value_or(1), shares_[i].limit);
        }

        [[nodiscard]] bool takes_part(std::size_t i) const {
                const auto& client = snapshot_.clients[i];
                return client.team && client.gang && shares_[i].is_governed && !client.idle &&
                       !shares_[i].wants_a_part && client.guaranteed <= 1 &&
                       turns_.behind[i] == 0 && !is_newcomer(settings_, client, snapshot_.now);
        }

        [[nodiscard]] std::vector<Team> find_teams() const {
                std::map<std::size_t, Team> teams;
                for (std::size_t i = 0; i < shares_.size(); i++) {
                        if (!takes_part(i))
                                continue;
                        const auto& client = snapshot_.clients[i];
                        auto& team = teams[*client.gang];
                        team.gang = *client.gang;
                        team.members.push_back(i);
                        team.threads += threads_of(i);
                        team.uses += std::max(threads_of(i), client.burning);
                        team.is_interactive = team.is_interactive || !client.takes_turns;
                        team.rests = team.rests && client.rests;
                }
                std::vector<Team> all;
                std::vector<std::vector<std::size_t>> members;
                for (auto& [gang, team] : teams) {
                        members.push_back(team.members);
                        all.push_back(std::move(team));
                }
                const auto shares = round_shares(snapshot_, classes_, shares_, members);
                for (std::size_t k = 0; k < all.size(); k++)
                        all[k].share = shares[k];
                return all;
        }

        [[nodiscard]] bool fits(const Team& team) const {
                return std::ranges::all_of(team.members, [&](std::size_t i) {
                        return threads_of(i) <= shares_[i].share;
                });
        }

        /// Short enough that an interactive gang's round comes before it has waited for too long; a
        /// part of that wait is for regions to end. Not so short that changes cost much, however
        /// many there are.
        [[nodiscard]] static std::chrono::nanoseconds
        length_of_rounds(const std::vector<Team>& teams) {
                if (std::ranges::none_of(teams, &Team::is_interactive))
                        return numbers::kRound;
                return std::max<std::chrono::nanoseconds>(
                        std::chrono::nanoseconds(numbers::kRoundWait) * 4 / 5 / (teams.size() - 1),
                        numbers::kPoll);
        }

        /// CPUs that its teams keep from others, over its share. The share is the one that counts:
        /// a share by present holdings would make gangs change places.
        [[nodiscard]] double pace_of(const Team& team) const {
                return pace_of(team, gang(team).round.share);
        }
        /// The same for the share of its account.
        [[nodiscard]] double account_pace_of(const Team& team) const {
                return pace_of(team, gang(team).round.account_share);
        }
        [[nodiscard]] static double pace_of(const Team& team, double counted) {
                return team.uses / (counted > 0 ? counted : team.share);
        }

        /// CPU time over its share, as if it were in the middle of its next region: that will not
        /// end before it is over.
        [[nodiscard]] double used_s(const Team& team) const {
                const auto& round = gang(team).round;
                return round.used_s + Seconds(round.region).count() / 2 * pace_of(team);
        }

        /// It is interactive and has waited for a round of each of the others. Neither it nor its
        /// account has used much more than others: a gang with long regions pays back first.
        [[nodiscard]] bool is_due(const Team& team) const {
                const auto& round = gang(team).round;
                const auto slack = Seconds(numbers::kRound).count();
                return team.is_interactive && round.waits_since &&
                       snapshot_.now - *round.waits_since >= longest_wait_ &&
                       round.used_s <= least_s_.at(gang(team).account) + slack * pace_of(team) &&
                       round.account_used_s <=
                               *least_of_accounts_s_ + slack * account_pace_of(team);
        }

        void take_of_others(Capacity& left, const std::vector<Team>& teams) const {
                std::vector<bool> is_member(shares_.size());
                for (const auto& team : teams)
                        for (const auto i : team.members)
                                is_member[i] = true;
                for (std::size_t i = 0; i < shares_.size(); i++)
                        if (!is_member[i])
                                left.take_or_charge(i, shares_[i].share);
        }

        /// Takes as many CPUs for its team as there are.
        std::uint32_t take_team(Capacity& left, std::size_t i) const {
                std::uint32_t cpus = 0;
                while (cpus < threads_of(i) && left.take(i))
                        cpus++;
                return cpus;
        }

        [[nodiscard]] bool has_room_for(const Team& team, Capacity left) const {
                return std::ranges::all_of(team.members, [&](std::size_t i) {
                        return take_team(left, i) == threads_of(i);
                });
        }

        /// Behind `running` others that run now. 1: it runs, too.
        std::uint32_t begin(Capacity& left, const Team& team, std::uint32_t running) {
                // The first runs whatever there is: at worst beside others.
                const bool runs = running == 0 || has_room_for(team, left);
                for (const auto i : team.members) {
                        set(i, runs ? take_team(left, i) : 0, runs ? 0 : running);
                }
                rounds_.gangs.push_back(
                        {gang(team).id, team.share, team.uses, !runs, team.rests, running == 0});
                return runs ? 1 : 0;
        }

        /// CPUs that are too few for a waiting team are kept from it, too, by the teams that run.
        /// These teams are charged for them, up to the pace at which the waiting team would be in
        /// their place. A small team would otherwise have half of the time, however many there are,
        /// and say that it used little.
        void charge_what_is_left(const Capacity& left, std::vector<Team>& teams) {
                double unused = 0;
                double pace = 0;
                double used = 0;
                double taken = 0;
                for (const auto& team : teams) {
                        if (rounds_.behind[team.members.front()] == 0) {
                                used += team.uses;
                                taken += team.threads;
                        }
                        auto rest = left;
                        double cpus = 0;
                        for (const auto i : team.members)
                                cpus += waits(team) ? take_team(rest, i) : 0;
                        if (cpus > 0)
                                pace = std::max(pace, team.uses / team.share);
                        unused = std::max(unused, cpus);
                }
                const auto scale = (taken + unused) / used;
                for (std::size_t k = 0; k < teams.size(); k++)
                        if (auto& team = teams[k]; !rounds_.gangs[k].waits)
                                rounds_.gangs[k].uses = team.uses = std::max(
                                        team.uses, std::min(team.uses * scale, team.share * pace));
        }

        /// Rounds are for programs that do not follow: each is charged by its time.
        void set(std::size_t i, std::uint32_t cpus, std::uint32_t behind) {
                auto& share = shares_[i];
                rounds_.entitled[i] = std::max(share.share, 1U);
                rounds_.behind[i] = behind;
                share.share = share.target = cpus;
                share.starts_with = 0;
                share.waits = behind > 0;
                share.charge.reset();
                share.begins = share.is_rigid = false;
                share.stays = share.stays && is_waited_for_by_others(i);
        }

        /// By another account, which cannot be made to wait for the end of a region.
        [[nodiscard]] bool is_waited_for_by_others(std::size_t i) const {
                return std::ranges::any_of(snapshot_.clients, [&](const Client& client) {
                        return client.team && client.account != snapshot_.clients[i].account;
                });
        }

        /// Looks again when the round of the first is over and it has no longer used least, or when
        /// one has waited for long enough.
        void review(const std::vector<Team>& teams) {
                for (const auto& team : teams)
                        if (waits(team) && team.is_interactive)
                                consider(gang(team).round.waits_since.value_or(snapshot_.now) +
                                         longest_wait_);
                const auto& leader = teams.front();
                const auto over = gang(leader).round.since.value_or(snapshot_.now) + length_;
                for (const auto& team : teams)
                        if (waits(team))
                                consider(std::max(over, snapshot_.now + overtakes(leader, team)));
        }

        /// The time until one that runs has used more than one that waits.
        [[nodiscard]] std::chrono::nanoseconds overtakes(const Team& team,
                                                         const Team& other) const {
                const bool is_of_account = gang(team).account == gang(other).account;
                const auto behind_s = is_of_account ? (used_s(other) - used_s(team)) / pace_of(team)
                                                    : (gang(other).round.account_used_s -
                                                       gang(team).round.account_used_s) /
                                                              account_pace_of(team);
                constexpr double kLongest_s = 3600;
                return numbers::kRest + std::chrono::duration_cast<std::chrono::nanoseconds>(
                                                Seconds(std::clamp(behind_s, 0.0, kLongest_s)));
        }

        [[nodiscard]] bool waits(const Team& team) const {
                return rounds_.behind[team.members.front()] > 0 && !team.rests;
        }

        void consider(TimePoint at) {
                if (at > snapshot_.now && (!rounds_.again || at < *rounds_.again))
                        rounds_.again = at;
        }

        const Settings& settings_;
        const Snapshot& snapshot_;
        const Classes& classes_;
        const Turns& turns_;
        std::vector<Share>& shares_;
        std::chrono::nanoseconds length_{0};        // of a round
        std::chrono::nanoseconds longest_wait_{0};  // of an interactive gang
        std::map<AccountId, double> least_s_;       // that a gang of it has used
        std::optional<double> least_of_accounts_s_;
        Rounds rounds_;
};

/// The parts of the machine that the kernel gives to teams that run side by side: each of their
/// threads gets as much as any other.
class Parts {
public:
        explicit Parts(const Snapshot& snapshot) : snapshot_(snapshot) {}

        void add(const Client& client) {
                // What it burns may be more than an administrator's maximum, which its team
                // ignores.
                const auto threads = std::max(*client.team, client.burning);
                // Trees first, then programs on their own.
                const auto unit = client.tree ? *client.tree : snapshot_.trees.size() + teams_;
                auto& part = accounts_[client.account][unit];
                part.threads += threads;
                part.weight = client.tree ? snapshot_.trees[*client.tree].weight : client.weight;
                const auto cpus = client.allowed & snapshot_.machine.pool();
                is_same_place_ = is_same_place_ && (teams_ == 0 || cpus == cpus_);
                cpus_ = cpus;
                threads_ += threads;
                teams_++;
        }
        [[nodiscard]] std::uint32_t teams() const { return teams_; }
        [[nodiscard]] bool is_crowd() const { return teams_ > 1 && threads_ > cpus_.count(); }
        /// Nearly what they are entitled to: accounts equal parts, and inside of one each tree and
        /// each program on its own the part that its weight says.
        [[nodiscard]] bool are_even() const {
                const auto& first = accounts_.begin()->second;
                const auto weight = first.begin()->second.weight;
                std::uint32_t least = UINT32_MAX;
                std::uint32_t most = 0;
                for (const auto& [account, units] : accounts_) {
                        if (units.size() != first.size())
                                return false;
                        for (const auto& [unit, part] : units) {
                                if (part.weight != weight)
                                        return false;
                                least = std::min(least, part.threads);
                                most = std::max(most, part.threads);
                        }
                }
                return is_same_place_ && most <= least + least / 4;
        }

private:
        struct Part {
                std::uint32_t threads = 0;
                std::uint32_t weight = 100;
        };
        const Snapshot& snapshot_;
        std::map<AccountId, std::map<std::size_t, Part>> accounts_;
        CpuMask cpus_;
        bool is_same_place_ = true;
        std::uint32_t teams_ = 0;
        std::uint32_t threads_ = 0;
};

/// Whether a crowd of programs is faster than their rounds.
class CrowdPaces {
public:
        void add(const Client& client) {
                const auto& trial = client.crowd_gain;
                wants_crowd_ = wants_crowd_ || trial.step == CrowdGain::Step::Crowd;
                wants_rounds_ = wants_rounds_ || trial.step == CrowdGain::Step::Rounds;
                has_left_ = has_left_ || trial.has_left;
                if (!trial.gain)
                        return;
                auto& gains = of_accounts_[client.account];
                gains.sum += *trial.gain;
                gains.count++;
        }
        /// For each account, by the mean of its programs: nobody's lies, or gains, are others'
        /// loss. Rounds are tried when all have been counted in the crowd. Programs that come later
        /// do not make others try again.
        [[nodiscard]] bool pay() const {
                if (has_left_ || (of_accounts_.empty() && wants_rounds_ && !wants_crowd_))
                        return false;
                return std::ranges::all_of(of_accounts_, [](const auto& of) {
                        return of.second.sum >= of.second.count * numbers::kCrowdPays;
                });
        }
        [[nodiscard]] bool are_tried() const { return wants_crowd_; }

private:
        struct Gains {
                double sum = 0;
                int count = 0;
        };
        std::map<AccountId, Gains> of_accounts_;
        bool wants_crowd_ = false;
        bool wants_rounds_ = false;
        bool has_left_ = false;
};

/// Programs that nobody governs would have to share with all of these threads.
bool has_foreign_load(const Snapshot& snapshot) {
        const auto& pool = snapshot.machine.pool();
        return snapshot.foreign.millicpu(pool) >=
               std::max(1000 * pool.count() / numbers::kForeignParts, 1000 / numbers::kLightParts);
}

}  // namespace

std::optional<Crowd> crowd_of(const Snapshot& snapshot) {
        Crowd crowd;
        Parts parts(snapshot);
        CrowdPaces paces;
        std::vector<bool> has_team(snapshot.trees.size());
        for (const auto& client : snapshot.clients) {
                const bool sleeps = client.team > 1U && client.sleeps && !client.takes_turns &&
                                    client.guaranteed <= 1;
                crowd.sleeps.push_back(sleeps);
                if (!sleeps || client.idle || client.light)
                        continue;
                parts.add(client);
                if (!client.in_stream)
                        paces.add(client);
                if (client.tree)
                        has_team[*client.tree] = true;
        }
        const auto is_hurt = [&](std::size_t i) {
                const auto& client = snapshot.clients[i];
                const bool is_holder = !client.team && client.sleeps;
                return !crowd.sleeps[i] && !client.idle && !client.light &&
                       !(is_holder && client.tree && has_team[*client.tree]);
        };
        if (!parts.is_crowd() || !parts.are_even() || has_foreign_load(snapshot) || !paces.pay())
                return std::nullopt;
        for (std::size_t i = 0; i < snapshot.clients.size(); i++)
                if (is_hurt(i))
                        return std::nullopt;
        crowd.others = parts.teams() - 1;
        crowd.is_tried = paces.are_tried();
        return crowd;
}

Snapshot beside_each_other(const Snapshot& snapshot, const Crowd& crowd) {
        auto beside = snapshot;
        for (std::size_t i = 0; i < beside.clients.size(); i++) {
                auto& client = beside.clients[i];
                if (!crowd.sleeps[i])
                        continue;
                client.team.reset();
                client.team_since.reset();
                client.present_team = 0;
                client.rests = false;
                client.gang.reset();
                client.in_use.clear();
                client.above_since.reset();
                client.lingers_since.reset();
        }
        return beside;
}

Rounds take_rounds(const Settings& settings, const Snapshot& snapshot, const Classes& classes,
                   const Turns& turns, std::vector<Share>& shares) {
        return RoundRobin(settings, snapshot, classes, turns, shares).deal();
}

bool has_waited_enough(const Settings& settings, const Client& client, const Gang& gang,
                       TimePoint now) {
        const auto longest = client.takes_turns ? settings.turn_max_wait : numbers::kRoundWait;
        return gang.round.waits_since && now - *gang.round.waits_since >= longest;
}

}  // namespace governor::policy::fair
