// SPDX-License-Identifier: MIT
// A hostile client must not fill the journal.
#include "server/journal/throttle.hpp"

#include <utility>

namespace governor::server {

std::optional<std::uint64_t> Throttle::allow(std::chrono::steady_clock::time_point now) {
        since_last_++;
        if (!minute_ || now - *minute_ >= std::chrono::minutes{1}) {
                minute_ = now;
                let_through_ = 0;
        }
        if (let_through_ == per_minute_)
                return std::nullopt;
        let_through_++;
        return std::exchange(since_last_, 0);
}

}  // namespace governor::server
