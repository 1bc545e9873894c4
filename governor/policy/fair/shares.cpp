// SPDX-License-Identifier: MIT
// The same machine filled again and again: by everybody, with rigid holders charged for what they
// burn, without newcomers, and on top of what may be kept.
#include "policy/fair/shares.hpp"

#include "policy/fair/filling.hpp"
#include "policy/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace governor::policy::fair {

namespace {

constexpr float kMillicpu = 1000;

class Entitlement {
public:
        Entitlement(const Settings& settings, const Snapshot& snapshot, const Classes& classes)
                : settings_(settings), snapshot_(snapshot), classes_(classes),
                  shares_(snapshot.clients.size()) {
                for (std::size_t i = 0; i < shares_.size(); i++)
                        set_limit(i);
                find_sharers();
        }

        std::vector<Share> find() {
                find_shares_on_waking();
                auto counts = fill_everybody(Newcomers::With);
                bool some_are_rigid = false;
                bool some_are_new = false;
                for (std::size_t i = 0; i < shares_.size(); i++) {
                        some_are_rigid = some_are_rigid || shares_[i].is_rigid;
                        some_are_new = some_are_new || is_new(i);
                }
                if (some_are_rigid) {
                        charge_rigid();
                        const auto entitled = counts;
                        for (std::size_t i = 0; i < shares_.size(); i++)
                                if (starts_uncharged(i))
                                        shares_[i].starts_with = entitled[i];
                        counts = fill_everybody(Newcomers::With);
                        for (std::size_t i = 0; i < shares_.size(); i++)
                                if (shares_[i].charge)
                                        counts[i] = std::min(entitled[i], *shares_[i].charge);
                }
                for (std::size_t i = 0; i < shares_.size(); i++)
                        shares_[i].share = shares_[i].target = counts[i];
                if (some_are_new) {
                        give_reserve_to_newcomers();
                        spare_neighbours();
                        share_what_is_left();
                }
                for (std::size_t i = 0; i < shares_.size(); i++)
                        shares_[i].begins =
                                snapshot_.clients[i].begins() &&
                                (!waits_when_it_wakes(i) || snapshot_.clients[i].granted.empty()) &&
                                !is_new(i) && !shares_[i].charge;
                return std::move(shares_);
        }

        /// The shares if all programs followed.
        std::vector<std::uint32_t> following() { return fill_everybody(Newcomers::With); }

        /// The shares of all CPUs, with nothing left to programs that do not follow.
        std::vector<std::uint32_t> undivided() {
                auto counts = fill_everybody(Newcomers::With, classes_.undivided());
                for (std::size_t i = 0; i < counts.size(); i++) {
                        const auto& client = snapshot_.clients[i];
                        const auto cpus = client.allowed.count();
                        if (!shares_[i].is_governed)
                                counts[i] = std::min(cpus, client.max.value_or(cpus));
                }
                return counts;
        }

private:
        void set_limit(std::size_t i) {
                const auto& client = snapshot_.clients[i];
                const auto group = classes_.group_of(i);
                if (group == Classes::kNoGroup)
                        return;
                auto own = client.max.value_or(std::numeric_limits<std::uint32_t>::max());
                if (client.is_returning(snapshot_.now))
                        own = std::min(own, client.resumed->threads);
                shares_[i].is_governed = true;
                const bool has_been_above = is_rigid(settings_, client, snapshot_.now);
                // An idle client uses next to nothing that it could be charged for.
                shares_[i].is_rigid = has_been_above && !client.idle;
                // A light client is above nothing on the CPU that it shares now.
                const bool is_late =
                        (has_been_above || client.team || client.light) && client.lingers_since &&
                        snapshot_.now - *client.lingers_since >= settings_.handover_max;
                shares_[i].stays = is_late || (client.idle && client.is_lent());
                shares_[i].limit = std::min(classes_.groups()[group].cpus.count(), own);
        }

        /// A light client needs no CPU of its own, but kLightParts of an account may use up one:
        /// the last of so many claims one as others do. One that was promised more threads has
        /// them.
        void find_sharers() {
                std::unordered_map<std::uint64_t, std::uint32_t> light;
                for (std::size_t i = 0; i < shares_.size(); i++) {
                        const auto& client = snapshot_.clients[i];
                        if (!client.light || client.idle || client.min > 1 || guarantee(client) > 0)
                                continue;
                        const auto count = ++light[static_cast<std::uint64_t>(client.account)];
                        shares_[i].wants_a_part = count % numbers::kLightParts != 0;
                }
        }

        /// In front of its region, or by yielding. One that follows its grant and wakes is told
        /// to wait after the region that it wakes with.
        [[nodiscard]] bool waits_when_it_wakes(std::size_t i) const {
                const auto& client = snapshot_.clients[i];
                return client.gang && (client.team || (settings_.turns && client.takes_turns &&
                                                       snapshot_.gangs[*client.gang].yields));
        }
        [[nodiscard]] bool wakes_at_once(std::size_t i) const {
                return shares_[i].is_governed && snapshot_.clients[i].idle &&
                       !waits_when_it_wakes(i);
        }

        /// Nobody is charged yet: the region that it wakes up with may be a long one, so others
        /// that do not follow are no reason to begin it with less. Nor is the load that it is while
        /// it is idle.
        void find_shares_on_waking() {
                std::vector<std::size_t> idle;
                std::vector<Foreign::Owned> loads;
                for (std::size_t i = 0; i < shares_.size(); i++) {
                        if (!wakes_at_once(i))
                                continue;
                        idle.push_back(i);
                        const auto& client = snapshot_.clients[i];
                        if (client.burning > 0)
                                loads.push_back({client.account, kMillicpu});  // and no more
                }
                if (idle.empty())
                        return;
                all_are_awake_ = true;
                const auto classes = classes_.without(loads);
                Capacity capacity(classes, snapshot_, Capacity::Reserve::Keep);
                const auto counts = fill(capacity, snapshot_, claims(capacity, Newcomers::With));
                for (const auto i : idle)
                        shares_[i].starts_with = std::max(counts[i], 1U);
                all_are_awake_ = false;
        }

        /// It was granted nothing yet. Its first region may be its only one, so others that do not
        /// follow are no reason to begin it with less.
        [[nodiscard]] bool starts_uncharged(std::size_t i) const {
                const auto& client = snapshot_.clients[i];
                return shares_[i].is_governed && client.granted.empty() && !client.idle &&
                       !shares_[i].wants_a_part && !is_new(i) && !shares_[i].charge;
        }

        enum class Newcomers : std::uint8_t { With, Without };

        /// The CPUs that each would get of an empty machine. Also notes which quotas are in the
        /// way.
        std::vector<std::uint32_t> fill_everybody(Newcomers newcomers) {
                return fill_everybody(newcomers, classes_);
        }
        std::vector<std::uint32_t>
        fill_everybody(Newcomers newcomers, const Classes& classes,
                       Capacity::Reserve reserve = Capacity::Reserve::Keep) {
                Capacity capacity(classes, snapshot_, reserve);
                const auto all = claims(capacity, newcomers);
                auto counts = fill(capacity, snapshot_, all);
                for (std::size_t i = 0; i < all.size() && newcomers == Newcomers::With; i++) {
                        const bool lacks = all[i].takes_part && counts[i] < shares_[i].limit;
                        shares_[i].quota = lacks ? capacity.full_quota(i) : std::nullopt;
                        shares_[i].tree_max = lacks ? capacity.full_tree(i) : std::nullopt;
                }
                return counts;
        }

        [[nodiscard]] std::vector<Claim> claims(Capacity& capacity, Newcomers newcomers) const {
                std::vector<Claim> all(shares_.size());
                for (std::size_t i = 0; i < all.size(); i++)
                        if (shares_[i].is_governed && (newcomers == Newcomers::With || !is_new(i)))
                                all[i] = claim(i, capacity);
                return all;
        }

        [[nodiscard]] Claim claim(std::size_t i, Capacity& capacity) const {
                const auto& client = snapshot_.clients[i];
                const auto& share = shares_[i];
                if (share.charge) {
                        capacity.charge(i, *share.charge);
                        return fixed(*share.charge);
                }
                // An idle client wants no CPU of its own, and lends what is guaranteed to it. A
                // light client wants none, either.
                const bool wakes = all_are_awake_ && wakes_at_once(i);
                if ((client.idle && !wakes) || share.wants_a_part)
                        return {true, 0, 0, 0, share.limit};
                const auto guaranteed = kept_.empty() ? guarantee(client) : kept_[i];
                const auto wants = wakes ? share.limit : client.wants.value_or(share.limit);
                return {true, 0, guaranteed, std::max(wants, guaranteed), share.limit};
        }

        /// The one that everybody may have is nothing that comes before the shares of accounts.
        [[nodiscard]] static std::uint32_t guarantee(const Client& client) {
                return client.guaranteed > 1 ? client.guaranteed : 0;
        }

        /// It has these CPUs, and gets no more.
        [[nodiscard]] static Claim fixed(std::uint32_t cpus) { return {true, cpus, 0, cpus, cpus}; }

        [[nodiscard]] bool is_new(std::size_t i) const {
                return is_newcomer(settings_, snapshot_.clients[i], snapshot_.now);
        }

        /// A rigid holder is charged for what it burns. The charge leaves to each other client the
        /// part of its share that it keeps from foreign programs, too. This part is of the share
        /// that the client would have without either. All this does not go by who holds CPUs now:
        /// it would change with each that changes hands, and make the next one do so.
        void charge_rigid() {
                const auto unheld = classes_.unheld();
                const auto entitled = fill_everybody(Newcomers::With, unheld);
                const auto undivided = fill_everybody(Newcomers::With, unheld.undivided());
                Capacity capacity(unheld, snapshot_, Capacity::Reserve::Keep);
                std::vector<Claim> claims(shares_.size());
                kept_.resize(shares_.size());
                for (std::size_t i = 0; i < shares_.size(); i++) {
                        if (!shares_[i].is_governed)
                                continue;
                        kept_[i] = std::min(entitled[i], kept(i, undivided[i]));
                        const auto limit = shares_[i].is_rigid ? runs_on(i, entitled[i]) : kept_[i];
                        const auto first = std::min(entitled[i], limit);
                        claims[i] = {true, 0, first, first, limit};
                }
                const auto counts = fill(capacity, snapshot_, claims);
                for (std::size_t i = 0; i < shares_.size(); i++)
                        if (shares_[i].is_rigid)
                                shares_[i].charge = counts[i];
        }

        /// It may follow at any time: nothing of its share is kept from it.
        [[nodiscard]] std::uint32_t runs_on(std::size_t i, std::uint32_t entitled) const {
                return std::max({snapshot_.clients[i].burning, entitled, 1U});
        }

        /// The part that it keeps of a share of `cpus`, whatever others use.
        [[nodiscard]] std::uint32_t kept(std::size_t i, std::uint32_t cpus) const {
                const std::uint64_t most = settings_.foreign_max_permyriad;
                return std::max(cpus - static_cast<std::uint32_t>(cpus * most / kPermyriad),
                                guarantee(snapshot_.clients[i]));
        }

        /// A client that wakes up has begun a region with what it was told.
        [[nodiscard]] std::uint32_t has(std::size_t i) const {
                const auto& client = snapshot_.clients[i];
                return client.begins() ? client.granted.count() : client.held();
        }

        /// The CPUs that are kept free for newcomers are theirs: the only program on a machine has
        /// all CPUs, also as one of a stream.
        void give_reserve_to_newcomers() {
                const auto counts =
                        fill_everybody(Newcomers::With, classes_, Capacity::Reserve::Use);
                for (std::size_t i = 0; i < shares_.size(); i++)
                        if (is_new(i) && !shares_[i].charge)
                                shares_[i].share = shares_[i].target = counts[i];
        }

        /// No program has to give up what it holds while only newcomers ask for it.
        void spare_neighbours() {
                const auto without = fill_everybody(Newcomers::Without);
                for (std::size_t i = 0; i < shares_.size(); i++)
                        if (!is_new(i) && !shares_[i].charge)
                                shares_[i].target =
                                        std::max(shares_[i].share, std::min(has(i), without[i]));
        }

        /// A client that may keep more than its share leaves less than theirs to the others.
        /// Newcomers leave the others their shares, and share the rest fairly.
        void share_what_is_left() {
                Capacity capacity(classes_, snapshot_, Capacity::Reserve::Use);
                std::vector<Claim> claims(shares_.size());
                for (std::size_t i = 0; i < shares_.size(); i++) {
                        const auto& share = shares_[i];
                        if (!share.is_governed)
                                continue;
                        const auto kept =
                                is_new(i) ? 0
                                          : share.charge.value_or(std::min(has(i), share.target));
                        capacity.charge(i, kept);
                        claims[i] = share.charge ? fixed(kept)
                                                 : Claim{true, kept, is_new(i) ? 0 : share.share,
                                                         share.target, share.target};
                }
                const auto counts = fill(capacity, snapshot_, claims);
                for (std::size_t i = 0; i < shares_.size(); i++)
                        if (shares_[i].is_governed && !shares_[i].charge)
                                shares_[i].target = counts[i];
        }

        const Settings& settings_;
        const Snapshot& snapshot_;
        const Classes& classes_;
        std::vector<Share> shares_;
        std::vector<std::uint32_t> kept_;  // by client, whoever is rigid; empty: nobody is
        bool all_are_awake_ = false;       // whoever is idle claims as if it were not
};

/// `foreign` times a number.
Foreign scaled(const Foreign& foreign, float part) {
        Foreign less{foreign.load, {}};
        for (auto& cpu : less.load)
                cpu *= part;
        return less;
}

/// Joins them as programs that want what they use.
void add_owned(Snapshot& snapshot, const std::vector<Foreign::Owned>& owned, float most_millicpu) {
        for (const auto& [account, millicpu] : owned) {
                auto& program = snapshot.clients.emplace_back();
                program.account = account;
                program.joined = snapshot.now;
                program.allowed = snapshot.machine.pool();
                program.max = static_cast<std::uint32_t>(
                        std::ceil(std::min(millicpu, most_millicpu) / kMillicpu));
        }
}

}  // namespace

Foreign left_to_foreign(const Settings& settings, const Snapshot& snapshot) {
        const auto& pool = snapshot.machine.pool();
        const auto all = sum(snapshot.foreign.load, pool);
        auto owned = snapshot.foreign.owned;
        if (owned.empty() || all <= 0)
                return scaled(snapshot.foreign, 1);
        float sum_owned = 0;
        for (const auto& one : owned)
                sum_owned += one.millicpu;
        // Load may have ended since it was seen whose it is.
        const auto there = std::min(1.F, all / sum_owned);
        for (auto& one : owned)
                one.millicpu *= there;
        const auto rest = std::max(0.F, all - sum_owned);
        const auto most =
                static_cast<float>(settings.foreign_max_permyriad) / static_cast<float>(kPermyriad);

        const auto nobodys = scaled(snapshot.foreign, rest / all);
        auto with = snapshot;
        add_owned(with, owned, most * kMillicpu * static_cast<float>(pool.count()));
        // Not by who holds CPUs: that goes by what is left to foreign load, and each would make the
        // other one change.
        const auto classes = Classes(with, settings, nobodys).unheld();
        const auto counts = Entitlement(settings, with, classes).following();
        std::unordered_map<std::uint64_t, float> of_account;
        for (std::size_t i = 0; i < counts.size(); i++)
                of_account[static_cast<std::uint64_t>(with.clients[i].account)] +=
                        static_cast<float>(counts[i]) * kMillicpu;
        auto sum_left = rest;
        for (std::size_t k = 0; k < owned.size(); k++) {
                auto& one = owned[k];
                const auto own = static_cast<float>(counts[snapshot.clients.size() + k]);
                const auto share = of_account[static_cast<std::uint64_t>(one.account)];
                one.millicpu = std::min(one.millicpu, std::max(own * kMillicpu, share * most));
                sum_left += one.millicpu;
        }
        auto left = scaled(snapshot.foreign, std::min(1.F, sum_left / all));
        left.owned = std::move(owned);
        return left;
}

std::vector<std::uint32_t> undivided_shares(const Settings& settings, const Snapshot& snapshot) {
        const Classes classes(snapshot, settings, {});
        return Entitlement(settings, snapshot, classes).undivided();
}

std::vector<Share> entitle(const Settings& settings, const Snapshot& snapshot,
                           const Classes& classes) {
        return Entitlement(settings, snapshot, classes).find();
}

bool is_rigid(const Settings& settings, const Client& client, TimePoint now) {
        return client.above_since && now - *client.above_since >= settings.handover_max;
}

bool is_newcomer(const Settings& settings, const Client& client, TimePoint now) {
        return client.in_stream && now - client.joined < settings.newcomer;
}

}  // namespace governor::policy::fair
