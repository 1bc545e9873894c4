// SPDX-License-Identifier: MIT
//
// Lets a message through at most once (or so often) per minute and counts what it held back.
#pragma once

#include "policy/account.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace governor::server {

class Throttle {
public:
        explicit Throttle(unsigned per_minute = 1) : per_minute_(per_minute) {}

        /// One more occurrence at `now`. Returns, if it may be logged, how many there were since
        /// the last one that was, this one included.
        [[nodiscard]] std::optional<std::uint64_t> allow(std::chrono::steady_clock::time_point now);

private:
        unsigned per_minute_;
        std::optional<std::chrono::steady_clock::time_point> minute_;  // that began then
        unsigned let_through_ = 0;                                     // in it
        std::uint64_t since_last_ = 0;
};

/// A throttle of each account: the noise of one user hides nothing of another.
class Throttles {
public:
        /// `most` accounts are known at a time, those that were heard last; all others together
        /// have one throttle. An account is forgotten for another one a minute after its last
        /// message, with the count of what was held back. There are therefore (most + 1) *
        /// per_minute messages per minute, as many users as there may be. The defaults of all kinds
        /// together stay below what the journal lets through (LogRateLimitBurst= of the unit).
        explicit Throttles(unsigned per_minute = 1, std::size_t most = 32)
                : most_(most), others_(per_minute), per_minute_(per_minute) {}

        /// As Throttle::allow(). O(most).
        [[nodiscard]] std::optional<std::uint64_t> allow(const policy::Account& account,
                                                         std::chrono::steady_clock::time_point now);

private:
        struct Known {
                policy::Account account;
                std::chrono::steady_clock::time_point heard;
                Throttle throttle;
        };
        [[nodiscard]] Throttle& of(const policy::Account& account,
                                   std::chrono::steady_clock::time_point now);

        std::size_t most_;
        std::vector<Known> known_;
        Throttle others_;
        unsigned per_minute_;
};

}  // namespace governor::server
