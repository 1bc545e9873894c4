// SPDX-License-Identifier: MIT
// A rate, a promise, and whether it was kept.
#include "registry/progress.hpp"

#include <algorithm>

namespace governor::registry {

namespace {

using std::chrono::nanoseconds;

}  // namespace

void Progress::report(std::uint64_t done, std::uint64_t total, nanoseconds served) {
        // What it had to do is done: now it begins something else.
        const bool was_done = total_ > 0 && told_.done == total_;
        if (was_done && (total == 0 || done < told_.done)) {
                const bool was_believed = is_believed_;
                *this = {};
                is_believed_ = was_believed;
        }
        if (!began_ && total > 0)
                began_ = served;
        if (done != told_.done)
                told_ = {done, served};
        if (!first_ && done > 0)
                first_ = told_;
        total_ = total;
        const auto left = remaining(served);
        if (left)
                promised_ = std::min(promised_.value_or(nanoseconds::max()), served + *left);
        if (promised_ && served - *began_ > 2 * (*promised_ - *began_) + kLongestTrial)
                is_believed_ = false;
}

std::optional<nanoseconds> Progress::remaining(nanoseconds served) const {
        if (!is_believed_ || total_ == 0 || !first_ || told_.done <= first_->done ||
            told_.served - first_->served < kTrial)
                return std::nullopt;
        const auto rate = static_cast<double>(told_.done - first_->done) /
                          static_cast<double>((told_.served - first_->served).count());
        const auto left = static_cast<double>(total_ - told_.done) / rate;
        const auto since = static_cast<double>((served - told_.served).count());
        constexpr double kMost = 1e18;  // thirty years
        return nanoseconds(static_cast<std::int64_t>(std::clamp(left - since, 0.0, kMost)));
}

bool Progress::is_on_trial(nanoseconds served) const {
        return is_believed_ && total_ > 0 && !remaining(served) &&
               served - began_.value_or(served) < kLongestTrial;
}

}  // namespace governor::registry
