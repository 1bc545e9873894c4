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

/// Slots that it may have besides, so that it leaves as many free as it then holds.
std::uint32_t Arenas::room_for(const Holding& holding) const {
        const auto free = limits_.total - std::min(limits_.total, total_);
        return (free - std::min(free, holding.slots)) / 2;
}

/// Slots of the holding's next arena, were there enough for all; 0: it has all that it may have.
std::uint32_t Arenas::wanted_by(const Holding& holding) const {
        const auto left = limits_.per_account - std::min(limits_.per_account, holding.slots);
        if (holding.rooms.empty())
                return std::min(limits_.first, left);
        std::uint32_t largest = 0;
        std::size_t small = 0;
        for (const auto& room : holding.rooms) {
                largest = std::max(largest, room.arena->slots());
                small += room.arena->slots() < limits_.first ? 1U : 0U;
        }
        if (small < kSmallArenas)
                return std::min(2 * largest, left);
        const auto wanted = std::min(std::max(2 * largest, limits_.first), left);
        return wanted < limits_.first ? 0 : wanted;
}

/// Slots of the holding's next arena. Further arenas have a size worth their descriptors, or are
/// refused.
tl::expected<std::uint32_t, NoPlace> Arenas::size_of_next(const Holding& holding,
                                                          policy::TimePoint now) {
        const bool is_first = holding.rooms.empty();
        const auto wanted = wanted_by(holding);
        if (wanted == 0)
                return tl::unexpected(NoPlace{Why::AccountQuota, {}});
        const auto is_short = [&] {
                return room_for(holding) < wanted || arenas_ >= limits_.arenas;
        };
        // None of them is the holding's own: it needs another because all of its slots are taken.
        for (int drops = 0; drops < kDropsAtOnce && is_short(); drops++)
                if (!drop_one_idle_since(now - kKeptWhenShort))
                        break;
        const auto least = std::min(wanted, is_first ? limits_.small : limits_.first);
        const auto size = std::min(wanted, room_for(holding));
        if (arenas_ >= limits_.arenas || (size < least && !is_first))
                return tl::unexpected(NoPlace{Why::TotalQuota, {}});
        return std::max(size, least);
}

tl::expected<Arenas::Room*, NoPlace> Arenas::grow(Holding& holding, policy::TimePoint now) {
        const auto slots = size_of_next(holding, now);
        if (!slots)
                return tl::unexpected(slots.error());
        try {
                holding.rooms.emplace_back(*slots, cpus_);
        } catch (const std::system_error& error) {
                return tl::unexpected(NoPlace{Why::System, error.code()});
        }
        holding.slots += *slots;
        total_ += *slots;
        arenas_++;
        return &holding.rooms.back();
}

tl::expected<Arenas::Room*, NoPlace> Arenas::room_of(const Account& account,
                                                     policy::TimePoint now) {
        const auto known = holdings_.find(account);
        if (known != holdings_.end())
                for (auto& room : known->second.rooms)
                        if (!room.free.empty())
                                return &room;
        auto& holding = known != holdings_.end() ? known->second : holdings_[account];
        auto room = grow(holding, now);
        if (!room && holding.rooms.empty())
                holdings_.erase(account);
        return room;
}

tl::expected<Place, NoPlace> Arenas::take(const Account& account, policy::TimePoint now) {
        const auto room = room_of(account, now);
        if (!room)
                return tl::unexpected(room.error());
        auto& free = (*room)->free;
        if ((*room)->is_idle())
                idle_.erase({(*room)->idle_since, account, (*room)->arena.get()});
        Place place{(*room)->arena.get(), *free.begin()};
        free.erase(free.begin());
        place.epoch = place.arena->renew(place.slot);
        return place;
}

void Arenas::give_back(const Account& account, const Place& place, policy::TimePoint now) {
        const auto known = holdings_.find(account);
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
                idle_.emplace(now, account, room.arena.get());
        }
}

/// The one that has been idle longest. False: none has been since then, or before.
bool Arenas::drop_one_idle_since(policy::TimePoint time) {
        if (idle_.empty() || std::get<0>(*idle_.begin()) > time)
                return false;
        const auto& [since, account, arena] = *idle_.begin();
        const auto known = holdings_.find(account);
        auto& [rooms, slots] = known->second;
        const auto room =
                std::find_if(rooms.begin(), rooms.end(),
                             [arena = arena](const auto& one) { return one.arena.get() == arena; });
        total_ -= arena->slots();
        slots -= arena->slots();
        arenas_--;
        rooms.erase(room);
        if (rooms.empty())
                holdings_.erase(known);
        idle_.erase(idle_.begin());
        return true;
}

void Arenas::forget_idle(policy::TimePoint now) {
        for (int drops = 0; drops < kDropsAtOnce && drop_one_idle_since(now - kKept); drops++) {
        }
}

void Arenas::beat() {
        for (auto& [account, holding] : holdings_)
                for (auto& room : holding.rooms)
                        room.arena->beat();
}

}  // namespace governor::server
