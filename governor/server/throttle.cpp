// SPDX-License-Identifier: MIT
// A hostile client must not fill the journal.
#include "server/throttle.hpp"

#include <utility>

namespace governor::server {

std::optional<std::uint64_t> Throttle::allow(std::chrono::steady_clock::time_point now) {
        since_last_++;
        if (last_ && now - *last_ < std::chrono::minutes{1})
                return std::nullopt;
        last_ = now;
        return std::exchange(since_last_, 0);
}

}  // namespace governor::server
