// SPDX-License-Identifier: MIT
// Lowest slots of the oldest arena first, so that later and larger ones empty by themselves; twice
// as many when there are none.
#include "server/sharing/arenas.hpp"

#include <algorithm>

namespace governor::server {

using policy::Account;
using Why = NoPlace::Why;

Arenas::Room::Room(std::uint32_t slots, std::uint32_t cpus)
        : arena(std::make_unique<Arena>(slots, cpus)) {
        for (std::uint32_t slot = 0; slot < slots; slot++)
                free.insert(free.end(), slot);
}

Arenas::Charge Arenas::charge_of(const Account& account) const {
        const auto known = charges_.find(account);
        return known != charges_.end() ? known->second : Charge{};
}

void Arenas::charge(const Account& account, std::uint32_t slots) {
        auto& charge = charges_[account];
        charge.slots += slots;
        charge.small += slots < limits_.first ? 1U : 0U;
        total_ += slots;
        arenas_++;
}

void Arenas::discharge(const Account& account, std::uint32_t slots) {
        auto& charge = charges_.at(account);
        charge.slots -= slots;
        charge.small -= slots < limits_.first ? 1U : 0U;
        if (charge.slots == 0)
                charges_.erase(account);
        total_ -= slots;
        arenas_--;
}

/// Slots that it may have besides, so that it leaves as many free as it then holds.
std::uint32_t Arenas::room_for(const Account& account) const {
        const auto free = limits_.total - std::min(limits_.total, total_);
        return (free - std::min(free, charge_of(account).slots)) / 2;
}

/// Slots of the holding's next arena, were there enough for all; 0: its account has all that it may
/// have. The first arena of another user of the account is no small one.
std::uint32_t Arenas::wanted_by(const Account& account, const Holding& holding) const {
        const auto [slots, small] = charge_of(account);
        const auto left = limits_.per_account - std::min(limits_.per_account, slots);
        if (slots == 0)
                return std::min(limits_.first, left);
        std::uint32_t largest = 0;
        for (const auto& room : holding.rooms)
                largest = std::max(largest, room.arena->slots());
        if (!holding.rooms.empty() && small < kSmallArenas)
                return std::min(2 * largest, left);
        const auto wanted = std::min(std::max(2 * largest, limits_.first), left);
        return wanted < limits_.first ? 0 : wanted;
}

/// Slots of the holding's next arena. Further arenas have a size worth their descriptors, or are
/// refused.
tl::expected<std::uint32_t, NoPlace>
Arenas::size_of_next(const Account& account, const Holding& holding, policy::TimePoint now) {
        // None of those that are dropped is the holding's own: it needs another because all of its
        // slots are taken.
        const auto idle_since = now - kKeptWhenShort;
        for (int drops = 0; drops < kDropsAtOnce && wanted_by(account, holding) == 0; drops++)
                if (!drop_one_idle_since(idle_since, account))
                        break;
        const auto wanted = wanted_by(account, holding);
        if (wanted == 0)
                return tl::unexpected(NoPlace{Why::AccountQuota, {}});
        const auto is_short = [&] {
                return room_for(account) < wanted || arenas_ >= limits_.arenas;
        };
        for (int drops = 0; drops < kDropsAtOnce && is_short(); drops++)
                if (!drop_one_idle_since(idle_since))
                        break;
        const bool is_first = charge_of(account).slots == 0;
        const auto least = std::min(wanted, is_first ? limits_.small : limits_.first);
        const auto size = std::min(wanted, room_for(account));
        if (arenas_ >= limits_.arenas || (size < least && !is_first))
                return tl::unexpected(NoPlace{Why::TotalQuota, {}});
        return std::max(size, least);
}

tl::expected<Arenas::Room*, NoPlace> Arenas::grow(const ArenaUser& user, Holding& holding,
                                                  policy::TimePoint now) {
        const auto slots = size_of_next(user.account, holding, now);
        if (!slots)
                return tl::unexpected(slots.error());
        try {
                holding.rooms.emplace_back(*slots, cpus_);
        } catch (const std::system_error& error) {
                return tl::unexpected(NoPlace{Why::System, error.code()});
        }
        charge(user.account, *slots);
        return &holding.rooms.back();
}

tl::expected<Arenas::Room*, NoPlace> Arenas::room_of(const ArenaUser& user, policy::TimePoint now) {
        const auto known = holdings_.find(user);
        if (known != holdings_.end())
                for (auto& room : known->second.rooms)
                        if (!room.free.empty())
                                return &room;
        auto& holding = known != holdings_.end() ? known->second : holdings_[user];
        auto room = grow(user, holding, now);
        if (!room && holding.rooms.empty())
                holdings_.erase(user);
        return room;
}

tl::expected<Place, NoPlace> Arenas::take(const ArenaUser& user, policy::TimePoint now) {
        const auto room = room_of(user, now);
        if (!room)
                return tl::unexpected(room.error());
        auto& free = (*room)->free;
        if ((*room)->is_idle())
                idle_.erase({(*room)->idle_since, user, (*room)->arena.get()});
        Place place{(*room)->arena.get(), *free.begin()};
        free.erase(free.begin());
        place.epoch = place.arena->renew(place.slot);
        return place;
}

void Arenas::give_back(const ArenaUser& user, const Place& place, policy::TimePoint now) {
        const auto known = holdings_.find(user);
        if (known == holdings_.end())
                return;
        for (auto& room : known->second.rooms) {
                if (room.arena.get() != place.arena || place.slot >= place.arena->slots() ||
                    !room.free.insert(place.slot).second)
                        continue;
                place.arena->release(place.slot);
                if (!room.is_idle())
                        continue;
                room.idle_since = now;
                idle_.emplace(now, user, room.arena.get());
        }
}

/// The one that has been idle longest, of this account if one is given. False: none has been since
/// then, or before.
bool Arenas::drop_one_idle_since(policy::TimePoint time, const std::optional<Account>& of) {
        const auto idle = std::find_if(idle_.begin(), idle_.end(), [&](const Idle& one) {
                return !of || std::get<ArenaUser>(one).account == *of;
        });
        if (idle == idle_.end() || std::get<policy::TimePoint>(*idle) > time)
                return false;
        const auto& [since, user, arena] = *idle;
        const auto known = holdings_.find(user);
        auto& rooms = known->second.rooms;
        discharge(user.account, arena->slots());
        rooms.erase(std::find_if(rooms.begin(), rooms.end(), [arena = arena](const auto& one) {
                return one.arena.get() == arena;
        }));
        if (rooms.empty())
                holdings_.erase(known);
        idle_.erase(idle);
        return true;
}

void Arenas::forget_idle(policy::TimePoint now) {
        for (int drops = 0; drops < kDropsAtOnce && drop_one_idle_since(now - kKept); drops++) {
        }
}

void Arenas::beat() {
        for (auto& [user, holding] : holdings_)
                for (auto& room : holding.rooms)
                        room.arena->beat();
}

}  // namespace governor::server
