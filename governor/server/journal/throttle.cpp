// SPDX-License-Identifier: MIT
// A hostile client must not fill the journal.
#include "server/journal/throttle.hpp"

#include <algorithm>
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

Throttle& Throttles::of(const policy::Account& account, std::chrono::steady_clock::time_point now) {
        const auto found = std::ranges::find(known_, account, &Known::account);
        if (found != known_.end()) {
                found->heard = now;
                return found->throttle;
        }
        const Known fresh{account, now, Throttle(per_minute_)};
        if (known_.size() < most_)
                return known_.emplace_back(fresh).throttle;
        const auto oldest = std::ranges::min_element(known_, {}, &Known::heard);
        if (oldest == known_.end() || now - oldest->heard < std::chrono::minutes{1})
                return others_;
        *oldest = fresh;
        return oldest->throttle;
}

std::optional<std::uint64_t> Throttles::allow(const policy::Account& account,
                                              std::chrono::steady_clock::time_point now) {
        return of(account, now).allow(now);
}

}  // namespace governor::server
