// SPDX-License-Identifier: MIT
//
// The slot of the shared memory that each program has, and how much of it each account may have.
#pragma once

#include "policy/account.hpp"
#include "policy/time_point.hpp"
#include "server/sharing/arena.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <tl/expected.hpp>
#include <tuple>
#include <vector>

namespace governor::server {

/// Programs that share memory, and may write to it: of one user. Programs of several users can be
/// of one account, which pays for all of them.
struct ArenaUser {
        policy::Account account;
        std::uint32_t uid = 0;

        friend bool operator==(const ArenaUser&, const ArenaUser&) = default;
        friend bool operator<(const ArenaUser& a, const ArenaUser& b) {
                return std::tie(a.account, a.uid) < std::tie(b.account, b.uid);
        }
};

/// A slot of one program, until it is given back.
struct Place {
        Arena* arena;  ///< of the program's user only; stays where it is
        std::uint32_t slot;
        std::uint32_t epoch = 0;  ///< of the slot when it was taken: what is older is another's
};

/// Why there is no slot.
struct NoPlace {
        enum class Why : std::uint8_t {
                AccountQuota,  ///< the account holds all slots that it may have
                TotalQuota,    ///< the account would hold more slots than it leaves free
                System,        ///< the system refuses more memory or descriptors: see `error`
        };
        Why why;
        std::error_code error;
};

/// Not thread-safe; time is an argument. Memory is charged when it is made, not when it is used. A
/// client that goes may keep its mapping, and with it the pages, as long as it likes. Slots are
/// therefore given out again rather than new ones made, and the slots that there are count.
///
/// An account grows only while it leaves as many slots free as it holds: the first account may have
/// half of all, the next a quarter. An account without an arena is not held to this: where little
/// is left its first arena is small, and comes on top of the total. Only Limits::arenas and the
/// system's own limits therefore keep an account from its first slot.
class Arenas {
public:
        struct Limits {
                std::uint32_t first = 64;           ///< slots of a user's first arena, >= 1
                std::uint32_t per_account = 1'024;  ///< slots; arenas double up to this
                std::uint32_t total = 2'048;        ///< slots, but for small first arenas
                std::uint32_t small = 4;            ///< slots of a first arena where room is short
                std::uint32_t arenas = 2'560;       ///< each costs two descriptors
        };
        /// An arena without a program is kept for so long, also where its account has others, ...
        static constexpr std::chrono::hours kKept{1};
        /// ... and where others need room. A client may keep the pages of arenas that are dropped,
        /// so this bounds how fast such pages become more. On 64 CPUs the bound is 2 MB per minute
        /// for Limits::total slots, and 20 MB for two pages of each of Limits::arenas small arenas.
        static constexpr std::chrono::minutes kKeptWhenShort{1};
        /// Arenas that are dropped at once: more would keep the daemon from its other work.
        static constexpr int kDropsAtOnce = 32;
        /// Arenas of one account that are smaller than Limits::first: four doublings of a small
        /// one, and what is left of the quota. Without a limit, an account that lets its large
        /// arenas go and keeps a program in each small one would get Limits::arenas of them.
        static constexpr std::size_t kSmallArenas = 5;

        /// `cpus` as in Arena.
        Arenas(const Limits& limits, std::uint32_t cpus) : limits_(limits), cpus_(cpus) {}

        /// The user's lowest free slot, fresh (Arena::renew()). O(log slots) and one system call,
        /// unless a new arena is made: O(arenas). A new arena that needs room drops arenas that
        /// have had no program for kKeptWhenShort, those that have had none longest first; the
        /// account's own where its quota leaves no room.
        [[nodiscard]] tl::expected<Place, NoPlace> take(const ArenaUser& user,
                                                        policy::TimePoint now);

        /// Releases the slot (Arena::release()) for the next. A place that is not taken is ignored.
        void give_back(const ArenaUser& user, const Place& place, policy::TimePoint now);

        /// Drops arenas that have had no program for kKept, kDropsAtOnce at most. To be called now
        /// and then.
        void forget_idle(policy::TimePoint now);

        /// The heartbeat of all of them.
        void beat();

        /// Arenas and slots that there are, taken or not.
        [[nodiscard]] std::size_t arenas() const { return arenas_; }
        [[nodiscard]] std::size_t slots() const { return total_; }

private:
        struct Room {
                explicit Room(std::uint32_t slots, std::uint32_t cpus);
                [[nodiscard]] bool is_idle() const { return free.size() == arena->slots(); }
                std::unique_ptr<Arena> arena;
                std::set<std::uint32_t> free;
                policy::TimePoint idle_since{};  // while all are free
        };
        struct Holding {
                std::vector<Room> rooms;  // oldest first, never none
        };
        /// What an account has of all its users.
        struct Charge {
                std::uint32_t slots = 0;
                std::size_t small = 0;  // arenas that are smaller than Limits::first
        };

        [[nodiscard]] tl::expected<Room*, NoPlace> room_of(const ArenaUser& user,
                                                           policy::TimePoint now);
        [[nodiscard]] tl::expected<Room*, NoPlace> grow(const ArenaUser& user, Holding& holding,
                                                        policy::TimePoint now);
        [[nodiscard]] tl::expected<std::uint32_t, NoPlace>
        size_of_next(const policy::Account& account, const Holding& holding, policy::TimePoint now);
        [[nodiscard]] Charge charge_of(const policy::Account& account) const;
        void charge(const policy::Account& account, std::uint32_t slots);
        void discharge(const policy::Account& account, std::uint32_t slots);
        [[nodiscard]] std::uint32_t wanted_by(const policy::Account& account,
                                              const Holding& holding) const;
        [[nodiscard]] std::uint32_t room_for(const policy::Account& account) const;
        bool drop_one_idle_since(policy::TimePoint time,
                                 const std::optional<policy::Account>& of = {});

        Limits limits_;
        std::uint32_t cpus_;
        std::map<ArenaUser, Holding> holdings_;
        std::map<policy::Account, Charge> charges_;
        using Idle = std::tuple<policy::TimePoint, ArenaUser, const Arena*>;
        std::set<Idle> idle_;  // arenas without a program
        std::uint32_t total_ = 0;
        std::size_t arenas_ = 0;
};

}  // namespace governor::server
