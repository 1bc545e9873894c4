// SPDX-License-Identifier: MIT
//
// Lets a message through at most once (or so often) per minute and counts what it held back.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace governor::server {

class Throttle {
public:
        explicit Throttle(unsigned per_minute = 1) : per_minute_(per_minute) {}

        /// One more occurrence at `now`. If it may be logged: how many there were since the last
        /// one that was, this one included.
        [[nodiscard]] std::optional<std::uint64_t> allow(std::chrono::steady_clock::time_point now);

private:
        unsigned per_minute_;
        std::optional<std::chrono::steady_clock::time_point> minute_;  // that began then
        unsigned let_through_ = 0;                                     // in it
        std::uint64_t since_last_ = 0;
};

}  // namespace governor::server
