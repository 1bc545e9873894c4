// SPDX-License-Identifier: MIT
// Down at once, up now and then.
#include "evidence/request_limits.hpp"

#include "policy/numbers.hpp"

#include <algorithm>
#include <limits>

namespace governor::evidence {

namespace {

/// Makes no limit the largest one.
std::uint32_t as_number(std::uint32_t max) {
        return max == 0 ? std::numeric_limits<std::uint32_t>::max() : max;
}

}  // namespace

RequestLimits::RequestLimits(std::uint32_t max, const policy::CpuMask& cpus)
        : asked_max_(max), asked_cpus_(cpus), max_(max), cpus_(cpus) {}

void RequestLimits::ask(std::uint32_t max, const policy::CpuMask& cpus, TimePoint now) {
        asked_max_ = max;
        asked_cpus_ = cpus;
        update(now);
        if (max_ == asked_max_ && cpus_ == asked_cpus_)
                return;
        if (as_number(asked_max_) < as_number(max_))
                max_ = asked_max_;
        if (cpus_.intersects(asked_cpus_)) {
                cpus_ &= asked_cpus_;
        } else {
                cpus_ = asked_cpus_;
                max_ = 1;
        }
}

void RequestLimits::update(TimePoint now) {
        const bool is_more =
                as_number(asked_max_) > as_number(max_) || !asked_cpus_.is_within(cpus_);
        if (!is_more || (raised_ && now - *raised_ < numbers::kMemory))
                return;
        max_ = asked_max_;
        cpus_ = asked_cpus_;
        raised_ = now;
}

}  // namespace governor::evidence
