// SPDX-License-Identifier: MIT
//
// What happened lately: for who asks why something is as it is.
#pragma once

#include "policy/fair/decision.hpp"
#include "policy/time_point.hpp"
#include "registry/orders.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>

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

/// A bounded queue that forgets its oldest. Events are numbered from 0 on, so that a reader can go
/// on where it stopped.
class History {
public:
        explicit History(std::size_t limit = 1024) : limit_(limit) {}

        /// Refusals of one user in a row are one event: they must not drive out all others.
        void add(const Event& event);

        [[nodiscard]] std::uint64_t begin_number() const { return begin_number_; }
        [[nodiscard]] std::uint64_t end_number() const { return begin_number_ + events_.size(); }

        /// begin_number() <= number < end_number()
        [[nodiscard]] const Event& at(std::uint64_t number) const;

private:
        std::size_t limit_;
        std::uint64_t begin_number_ = 0;
        std::deque<Event> events_;
};

}  // namespace governor::registry
