// SPDX-License-Identifier: MIT
#include "evidence/kept_regions.hpp"

#include "policy/numbers.hpp"

#include <algorithm>

namespace governor::evidence {

using namespace std::chrono_literals;

void KeptRegions::report(const Report& report, bool wants_to_run, TimePoint now) {
        if (const auto ended = report.ended - ended_; ended > 0) {
                length_ = std::min<std::chrono::nanoseconds>(
                        std::chrono::nanoseconds((report.ended_ns - ended_ns_) / ended), 1min);
                ended_ = report.ended;
                ended_ns_ = report.ended_ns;
        }
        if (report.in_region || wants_to_run)
                outside_since_.reset();
        else
                outside_since_ = outside_since_.value_or(now);
        rests_ = outside_since_ && now - *outside_since_ >= numbers::kPoll;
}

}  // namespace governor::evidence
