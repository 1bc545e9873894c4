// SPDX-License-Identifier: MIT
//
// Which program has which slot of the shared memory, and how much of it each account may have.
#pragma once

#include "policy/account.hpp"
#include "policy/time_point.hpp"
#include "server/sharing/arena.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <system_error>
#include <tl/expected.hpp>
#include <vector>

namespace governor::server {

/// A slot of one program, until it is given back.
struct Place {
        Arena* arena;  ///< of the program's account only; stays where it is
        std::uint32_t slot;
};

/// Why there is no slot.
struct NoPlace {
        enum class Why : std::uint8_t {
                AccountQuota,  ///< the account holds all slots that it may have
                TotalQuota,    ///< all accounts together have all slots that there may be
                System,        ///< the system refuses more memory or descriptors: see `error`
        };
        Why why;
        std::error_code error;
};

/// Not thread-safe; time is an argument. Memory is charged when it is made, not when it is used:
/// a client that goes may keep its mapping, and with it the pages, as long as it likes. So slots
/// are given out again rather than new ones made, and what counts is the slots that there are.
class Arenas {
public:
        struct Limits {
                std::uint32_t first = 64;           ///< slots of an account's first arena, >= 1
                std::uint32_t per_account = 4'096;  ///< slots; arenas double up to this
                std::uint32_t total = 16'384;       ///< slots, of all accounts together
        };
        /// How long an account without a program keeps its arenas.
        static constexpr std::chrono::hours kKept{1};

        /// `cpus` as in Arena.
        Arenas(const Limits& limits, std::uint32_t cpus) : limits_(limits), cpus_(cpus) {}

        /// The account's lowest free slot, fresh (Arena::renew()). O(log slots) and one system
        /// call, unless a new arena is made.
        [[nodiscard]] tl::expected<Place, NoPlace> take(const policy::Account& account);

        /// Releases the slot (Arena::release()) for the next. A place that is not taken is ignored.
        void give_back(const policy::Account& account, const Place& place, policy::TimePoint now);

        /// Drops the arenas of accounts that have had no program for kKept. To be called now and
        /// then.
        void forget_idle(policy::TimePoint now);

        /// The heartbeat of all of them.
        void beat();

        /// That there are, taken or not.
        [[nodiscard]] std::size_t arenas() const;
        [[nodiscard]] std::size_t slots() const { return total_; }

private:
        struct Room {
                explicit Room(std::uint32_t slots, std::uint32_t cpus);
                std::unique_ptr<Arena> arena;
                std::set<std::uint32_t> free;
        };
        struct Holding {
                std::vector<Room> rooms;  // oldest, and smallest, first
                std::uint32_t slots = 0;
                std::uint32_t taken = 0;
                policy::TimePoint idle_since;  // while nothing is taken
        };

        [[nodiscard]] tl::expected<Room*, NoPlace> room_of(const policy::Account& account);
        [[nodiscard]] tl::expected<Room*, NoPlace> grow(Holding& holding);

        Limits limits_;
        std::uint32_t cpus_;
        std::map<policy::Account, Holding> holdings_;
        std::uint32_t total_ = 0;
};

}  // namespace governor::server
