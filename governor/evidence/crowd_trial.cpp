// SPDX-License-Identifier: MIT
#include "evidence/crowd_trial.hpp"

#include "policy/numbers.hpp"

#include <algorithm>

namespace governor::evidence {

namespace {

/// Threads of libgomp go on to sleep for so long after a crowd: the object that is preloaded looks
/// twice as often whether they should.
constexpr auto kCrowdEnds = numbers::kTick;

}  // namespace

void CrowdTrial::begin(Step step, policy::TimePoint now) {
        step_ = step;
        if (step == Step::Crowd) {
                gain_.reset();
                parts_ = 1;
        }
        begun_at_ = now;
        since_.reset();
        time_ = {};
        regions_ = 0;
        has_left_ = false;
}

void CrowdTrial::parked(bool parked, policy::TimePoint now) {
        if (parked == parked_at_.has_value())
                return;
        if (parked_at_)
                parked_ += now - *parked_at_;
        parked_at_ = parked ? std::optional(now) : std::nullopt;
}

std::chrono::nanoseconds CrowdTrial::ran(policy::TimePoint now) const {
        return parked_at_.value_or(now).time_since_epoch() - parked_;
}

bool CrowdTrial::report(std::uint64_t ended, std::optional<double> parts, policy::TimePoint now) {
        const auto age = now - begun_at_.value_or(now);
        if (!begun_at_ || (step_ == Step::Done && age >= numbers::kCrowdMemory))
                begin(Step::Crowd, now);
        else if (step_ == Step::Rounds && age >= numbers::kMemory)
                return end_step(now);
        const bool is_in_round = step_ == Step::Rounds && !parts;
        has_left_ = has_left_ || is_in_round;
        const bool counts = (step_ == Step::Crowd && parts) || (is_in_round && age >= kCrowdEnds);
        if (!counts || !since_ || ended < since_->ended) {
                since_ = counts ? std::optional(Count{ran(now), ended}) : std::nullopt;
                return false;
        }
        time_ += ran(now) - since_->ran;
        regions_ += ended - since_->ended;
        since_ = {ran(now), ended};
        parts_ = std::max(parts_, parts.value_or(1));
        return time_ >= needed() && end_step(now);
}

std::chrono::nanoseconds CrowdTrial::needed() const {
        return step_ == Step::Crowd ? numbers::kCrowdTry : numbers::kCrowdTry / 4;
}

/// A crowd gains no more than what rounds leave idle: more is a serial part, or a lie.
bool CrowdTrial::end_step(policy::TimePoint now) {
        const auto period = time_ / std::max<std::uint64_t>(regions_, 1);
        if (step_ == Step::Rounds) {
                if (time_ >= needed() && regions_ >= numbers::kCrowdRegions / 8)
                        gain_ = std::min(parts_ * (std::chrono::duration<double>(period) / period_),
                                         parts_);
                begin(Step::Done, now);
                return true;
        }
        period_ = period;
        const bool matters = static_cast<double>(regions_) * parts_ >=
                             static_cast<double>(numbers::kCrowdRegions);
        begin(matters && period_.count() > 0 ? Step::Rounds : Step::Done, now);
        return true;
}

}  // namespace governor::evidence
