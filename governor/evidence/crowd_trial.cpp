// SPDX-License-Identifier: MIT
#include "evidence/crowd_trial.hpp"

#include "policy/numbers.hpp"

#include <algorithm>

namespace governor::evidence {

namespace {

double ratio(std::chrono::nanoseconds a, std::chrono::nanoseconds b) {
        return std::chrono::duration<double>(a) / std::chrono::duration<double>(b);
}

}  // namespace

void CrowdTrial::begin(Step step, policy::TimePoint now) {
        step_ = step;
        if (step == Step::Crowd)
                gain_.reset();
        begun_at_ = now;
        since_.reset();
        time_ = {};
        regions_ = 0;
}

bool CrowdTrial::report(std::uint64_t ended, std::uint32_t teams, policy::TimePoint now) {
        const auto age = now - begun_at_.value_or(now);
        if (!begun_at_ || (step_ == Step::Done && age >= numbers::kCrowdMemory))
                begin(Step::Crowd, now);
        else if (step_ == Step::Rounds && age >= numbers::kCrowdPatience)
                return end_step(now);
        const bool counts = step_ == Step::Crowd    ? teams > 1
                            : step_ == Step::Rounds ? teams == 1 && age >= numbers::kCrowdEnds
                                                    : false;
        if (!counts || !since_) {
                since_ = counts ? std::optional(Count{now, ended}) : std::nullopt;
                return false;
        }
        time_ += now - since_->at;
        regions_ += ended - since_->ended;
        since_ = {now, ended};
        teams_ = std::max(teams_, teams);
        return time_ >= needed() && end_step(now);
}

std::chrono::nanoseconds CrowdTrial::needed() const {
        return step_ == Step::Crowd ? numbers::kCrowdTry : numbers::kCrowdTry / 4;
}

bool CrowdTrial::end_step(policy::TimePoint now) {
        const auto period = time_ / std::max<std::uint64_t>(regions_, 1);
        if (step_ == Step::Rounds) {
                if (time_ >= needed())
                        gain_ = teams_ * ratio(period, period_);
                begin(Step::Done, now);
                return true;
        }
        period_ = period;
        begin(regions_ >= numbers::kCrowdRegions ? Step::Rounds : Step::Done, now);
        return true;
}

}  // namespace governor::evidence
