// SPDX-License-Identifier: MIT
//
// The article's way of following a governor: ask, wait a little, ask again after an interval.
#pragma once

#include "grown_count.hpp"
#include "transport.hpp"

#include <cstdint>

namespace threadcount {

/// A time that does not come: nobody is to be asked any more.
inline constexpr std::uint64_t kNever_ms = UINT64_MAX;

/// Not thread-safe. Times are milliseconds on one clock that does not go backwards.
class Polling {
public:
        struct Settings {
                std::uint32_t max = 1;          ///< what the program would use ungoverned, >= 1
                std::uint32_t interval_ms = 0;  ///< kShortestInterval_ms .. kLongestInterval_ms
                bool once = false;              ///< the first answer is final
        };

        /// All but `settings` must outlive this. Answers go into `count`. Any other user of it and
        /// of `transport` uses them between a run() that has an answer, or an error, and the next.
        Polling(const Addresses& addresses, const Settings& settings, Transport& transport,
                GrownCount& count)
                : addresses_(addresses), settings_(settings), count_(count), transport_(transport) {
        }

        /// Asks, or looks for an answer that is late; blocks for at most 5 ms, connecting included.
        /// Returns when to call it again.
        [[nodiscard]] std::uint64_t run(std::uint64_t now_ms);

        /// The last run() has learned that the governor grants leases now.
        [[nodiscard]] bool sees_leases() const { return sees_leases_; }

        /// 0, or a negative errno: why there is no governor.
        [[nodiscard]] int error() const { return error_; }

        /// The address that the last question went to, or should have; nullptr: none yet.
        [[nodiscard]] const Address* peer() const { return transport_.peer(); }

        /// nullptr before the first one.
        [[nodiscard]] const Answer* last_answer() const { return answered_ ? &last_ : nullptr; }

private:
        [[nodiscard]] std::uint64_t ask(std::uint64_t now_ms);
        [[nodiscard]] std::uint64_t look(std::uint64_t now_ms);
        [[nodiscard]] std::uint64_t take(const Answer& answer, std::uint64_t now_ms);
        [[nodiscard]] std::uint64_t fail(int why, std::uint64_t now_ms);

        const Addresses& addresses_;
        const Settings settings_;
        GrownCount& count_;
        Transport& transport_;
        bool outstanding_ = false;  // a question has been sent, its answer is not here
        bool mute_ = false;         // the last one was never answered: do not wait for the next
        bool answered_ = false;
        bool sees_leases_ = false;
        int error_ = 0;
        std::uint64_t asked_ms_ = 0;
        Answer last_;
};

}  // namespace threadcount
