// SPDX-License-Identifier: MIT
// Lowest slots first; twice as many when there are none.
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

tl::expected<Arenas::Room*, NoPlace> Arenas::grow(Holding& holding) {
        const auto of_account = limits_.per_account - std::min(limits_.per_account, holding.slots);
        const auto of_all = limits_.total - std::min(limits_.total, total_);
        if (of_account == 0)
                return tl::unexpected(NoPlace{Why::AccountQuota, {}});
        if (of_all == 0)
                return tl::unexpected(NoPlace{Why::TotalQuota, {}});
        const auto wanted =
                holding.rooms.empty() ? limits_.first : 2 * holding.rooms.back().arena->slots();
        const auto slots = std::min({wanted, of_account, of_all});
        try {
                holding.rooms.emplace_back(slots, cpus_);
        } catch (const std::system_error& error) {
                return tl::unexpected(NoPlace{Why::System, error.code()});
        }
        holding.slots += slots;
        total_ += slots;
        return &holding.rooms.back();
}

tl::expected<Arenas::Room*, NoPlace> Arenas::room_of(const Account& account) {
        const auto known = holdings_.find(account);
        if (known != holdings_.end())
                for (auto& room : known->second.rooms)
                        if (!room.free.empty())
                                return &room;
        auto& holding = known != holdings_.end() ? known->second : holdings_[account];
        auto room = grow(holding);
        if (!room && holding.rooms.empty())
                holdings_.erase(account);
        return room;
}

tl::expected<Place, NoPlace> Arenas::take(const Account& account) {
        const auto room = room_of(account);
        if (!room)
                return tl::unexpected(room.error());
        auto& free = (*room)->free;
        const Place place{(*room)->arena.get(), *free.begin()};
        free.erase(free.begin());
        holdings_[account].taken++;
        place.arena->renew(place.slot);
        return place;
}

void Arenas::give_back(const Account& account, const Place& place, policy::TimePoint now) {
        const auto known = holdings_.find(account);
        if (known == holdings_.end())
                return;
        auto& holding = known->second;
        for (auto& room : holding.rooms) {
                if (room.arena.get() != place.arena || place.slot >= place.arena->slots() ||
                    !room.free.insert(place.slot).second)
                        continue;
                place.arena->release(place.slot);
                if (--holding.taken == 0)
                        holding.idle_since = now;
        }
}

void Arenas::forget_idle(policy::TimePoint now) {
        std::erase_if(holdings_, [&](const auto& known) {
                const auto& holding = known.second;
                const bool idle = holding.taken == 0 && now - holding.idle_since >= kKept;
                if (idle)
                        total_ -= holding.slots;
                return idle;
        });
}

void Arenas::beat() {
        for (auto& [account, holding] : holdings_)
                for (auto& room : holding.rooms)
                        room.arena->beat();
}

std::size_t Arenas::arenas() const {
        std::size_t sum = 0;
        for (const auto& [account, holding] : holdings_)
                sum += holding.rooms.size();
        return sum;
}

}  // namespace governor::server
