// SPDX-License-Identifier: MIT
// Two due times.
#include "registry/agenda.hpp"

#include <algorithm>

namespace governor::registry {

namespace {

bool is_to_be_watched(const policy::fair::Grant& grant) {
        using policy::fair::Limit;
        return grant.reason.limit == Limit::Handover || grant.reason.limit == Limit::Newcomer ||
               grant.reason.limit == Limit::Idle;
}

}  // namespace

void Agenda::want_decision(TimePoint now) {
        const bool may_rest = last_decision_ != TimePoint::min();
        next_decision_ =
                std::min(next_decision_, may_rest ? std::max(now, last_decision_ + kRest) : now);
}

void Agenda::polled(bool matters, TimePoint now) {
        if (matters)
                want_decision(now);
        if (next_poll_ != kNever)
                next_poll_ = now + kPoll;
}

void Agenda::decided(const policy::fair::Decision& decision, TimePoint now) {
        last_decision_ = now;
        next_decision_ = decision.again ? std::max(*decision.again, now + kRest) : kNever;
        if (!std::ranges::any_of(decision.grants, is_to_be_watched))
                next_poll_ = kNever;
        else if (next_poll_ == kNever)
                next_poll_ = now + kPoll;
}

}  // namespace governor::registry
