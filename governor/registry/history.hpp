// SPDX-License-Identifier: MIT
//
// Keeps what happened lately, for users that ask why something is as it is.
#pragma once

#include "policy/account.hpp"
#include "policy/fair/decision.hpp"
#include "policy/time_point.hpp"
#include "registry/orders.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace governor::registry {

using policy::TimePoint;

enum class EventKind : std::uint8_t {
        Joined,
        Left,
        Refused,         ///< a lease; `to` is how often in a row
        Granted,         ///< `from` -> `to` threads, or other CPUs
        Rigid,           ///< did not follow in time: charged for what it burns
        MachineChanged,  ///< `from` -> `to` CPUs; of no client
        Ordered,         ///< `order`, by the user `by`
        Suspended,       ///< governing as a whole, by the user `by`; of no client
        Restored,        ///< likewise
};

struct Event {
        static constexpr std::size_t kLabel = 31;  ///< bytes of a label that are kept

        TimePoint at;
        EventKind kind = EventKind::Joined;
        policy::fair::ProgramId id{};
        policy::Account account;  ///< of the program; empty: of the machine
        std::uint32_t pid = 0;
        std::uint32_t uid = 0;
        std::uint32_t from = 0;
        std::uint32_t to = 0;
        policy::fair::Reason reason;  ///< of a grant
        Order order;
        std::uint32_t by = 0;
        std::array<char, kLabel + 1> label{};

        /// Cuts it to kLabel bytes, before a character of UTF-8 that does not fit.
        void set_label(std::string_view text);
};

/// The last events of all programs. Events are numbered from 0 on, so that a reader can go on where
/// it stopped. A full history forgets the oldest event of the account with the most events: the
/// noise of one user does not drive out the events of others. Numbers may therefore be missing in
/// between.
class History {
public:
        explicit History(std::size_t limit = 1024) : limit_(limit) {}

        /// Refusals of one user in a row are one event. O(log events).
        void add(const Event& event);

        /// The number of the next event.
        [[nodiscard]] std::uint64_t end_number() const { return end_number_; }
        [[nodiscard]] std::size_t size() const { return events_.size(); }

        using Events = std::map<std::uint64_t, Event>;
        struct Range {
                [[nodiscard]] auto begin() const { return first; }
                [[nodiscard]] auto end() const { return last; }

                Events::const_iterator first;
                Events::const_iterator last;
        };
        /// Pairs of a number, which is at least `number`, and its event, in the order in which they
        /// happened. Valid until the next add().
        [[nodiscard]] Range from(std::uint64_t number) const {
                return {events_.lower_bound(number), events_.end()};
        }
        /// The event must be known still.
        [[nodiscard]] const Event& at(std::uint64_t number) const { return events_.at(number); }

private:
        using Numbers = std::deque<std::uint64_t>;

        void forget_one();
        void rank(const Numbers& numbers);
        void unrank(const Numbers& numbers);

        std::size_t limit_;
        std::uint64_t end_number_ = 0;
        Events events_;
        std::map<policy::Account, Numbers> of_account_;          // never empty ones
        std::set<std::pair<std::size_t, std::uint64_t>> ranks_;  // see rank()
};

/// The last events of one program, however much happens to others.
class RecentEvents {
public:
        static constexpr std::size_t kMost = 20;

        void add(const Event& event);

        /// Oldest first.
        [[nodiscard]] const std::vector<Event>& events() const { return events_; }

private:
        std::vector<Event> events_;
};

}  // namespace governor::registry
