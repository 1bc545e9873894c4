// SPDX-License-Identifier: MIT
//
// Lets a message through at most once per minute and counts what it held back.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace governor::server {

class Throttle {
public:
        /// One more occurrence at `now`. If it may be logged: how many there were since the last
        /// one that was, this one included.
        [[nodiscard]] std::optional<std::uint64_t> allow(std::chrono::steady_clock::time_point now);

private:
        std::optional<std::chrono::steady_clock::time_point> last_;
        std::uint64_t since_last_ = 0;
};

}  // namespace governor::server
