// SPDX-License-Identifier: MIT
// Three due times.
#include "registry/schedule.hpp"

#include "policy/numbers.hpp"

#include <algorithm>
#include <utility>

namespace governor::registry {

namespace {

using policy::fair::Limit;

bool makes_wait(const policy::fair::Grant& grant) {
        return grant.reason.limit == Limit::Handover || grant.reason.limit == Limit::Newcomer;
}

std::vector<policy::fair::ProgramId> idle_in(const policy::fair::Decision& decision) {
        std::vector<policy::fair::ProgramId> idle;
        for (const auto& grant : decision.grants)
                if (grant.reason.limit == Limit::Idle)
                        idle.push_back(grant.id);
        std::ranges::sort(idle);
        return idle;
}

/// Others have what it could use.
bool is_contended(const policy::fair::Grant& grant) {
        return grant.reason.programs > 1 &&
               (makes_wait(grant) || grant.reason.limit == Limit::FairShare ||
                grant.reason.limit == Limit::Floor || grant.reason.limit == Limit::Quota ||
                grant.reason.limit == Limit::Parked);
}

/// Others could have CPUs of its, were it stopped.
bool holds(const policy::fair::Grant& grant) {
        return !grant.shared && grant.reason.limit != Limit::Idle &&
               grant.reason.limit != Limit::Ungoverned;
}

}  // namespace

void Schedule::want_decision(TimePoint now) {
        const bool may_rest = last_decision_ != TimePoint::min();
        next_decision_ =
                std::min(next_decision_, may_rest ? std::max(now, last_decision_ + rest_) : now);
}

void Schedule::took(std::chrono::nanoseconds time) {
        rest_ = std::max<std::chrono::nanoseconds>(time * numbers::kLittle, numbers::kRest);
        next_decision_ = std::max(next_decision_, last_decision_ + rest_);
}

std::chrono::nanoseconds Schedule::pause(TimePoint now) const {
        if (parked_since_)
                return std::clamp<std::chrono::nanoseconds>(
                        (now - *parked_since_) / numbers::kLittle, numbers::kRest, numbers::kPoll);
        if (is_waited_for_ || counts_regions_)
                return numbers::kPoll;
        return std::clamp<std::chrono::nanoseconds>((now - quiet_since_) / numbers::kLittle,
                                                    numbers::kPoll, numbers::kTick);
}

void Schedule::polled(bool matters, TimePoint now) {
        if (matters) {
                quiet_since_ = now;
                want_decision(now);
        }
        if (next_poll_ != kNever)
                next_poll_ = now + pause(now);
}

void Schedule::watched(bool matters, TimePoint now) {
        if (matters)
                want_decision(now);
        if (next_watch_ != kNever)
                next_watch_ = now + numbers::kTick;
}

void Schedule::decided(const policy::fair::Decision& decision, TimePoint now) {
        last_decision_ = now;
        next_decision_ = decision.again ? std::max(*decision.again, now + rest_) : kNever;
        is_waited_for_ = std::ranges::any_of(decision.grants, makes_wait);
        const bool is_somebody_parked = !decision.rounds.empty() &&
                                        std::ranges::any_of(decision.grants, [](const auto& grant) {
                                                return grant.parked && makes_wait(grant);
                                        });
        if (is_somebody_parked)
                parked_since_ = parked_since_.value_or(now);
        else
                parked_since_.reset();
        auto idle = idle_in(decision);
        if (!std::ranges::includes(idle_, idle))
                quiet_since_ = now;
        idle_ = std::move(idle);
        counts_regions_ = !decision.rounds.empty() || decision.tries_crowd;
        if (!is_waited_for_ && !counts_regions_ && idle_.empty())
                next_poll_ = kNever;
        else
                next_poll_ = std::min(next_poll_, now + pause(now));
        if (!std::ranges::any_of(decision.grants, is_contended) ||
            std::cmp_greater(std::ranges::count_if(decision.grants, holds), numbers::kMostWatched))
                next_watch_ = kNever;
        else if (next_watch_ == kNever)
                next_watch_ = now + numbers::kTick;
}

}  // namespace governor::registry
