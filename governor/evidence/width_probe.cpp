// SPDX-License-Identifier: MIT
// A budget, and one try at a time.
#include "evidence/width_probe.hpp"

#include "policy/numbers.hpp"

#include <algorithm>

namespace governor::evidence {

namespace {

using std::chrono::nanoseconds;

/// A try cuts into a region, which then is above its grant until it ends: that has to be well
/// before numbers::kHandoverMax.
constexpr auto kLongest = numbers::kWindow / 2;

/// With half of the CPUs, if they are half as fast; the region that goes on meanwhile says nothing.
nanoseconds length_of(nanoseconds region_time) {
        const auto region = 2 * region_time;
        return std::clamp<nanoseconds>(numbers::kRegions * region, numbers::kTick,
                                       numbers::kWindow) +
               region;
}

}  // namespace

std::optional<WidthProbe::Try> WidthProbe::next(const Speedup& speedup, std::uint32_t cpus,
                                                nanoseconds turns, Guess guess,
                                                TimePoint now) const {
        if (running_) {
                if (speedup.has_seen(running_->cpus) || now >= running_->until)
                        return std::nullopt;
                return Try{running_->cpus, running_->until - now};
        }
        if (cpus < 2 || now < not_before_ || guess == Guess::Fresh ||
            speedup.elasticity_below(cpus, now))
                return std::nullopt;
        const auto region_time = speedup.region_time(cpus, now);
        if (!region_time || *region_time > kLongest)
                return std::nullopt;
        const auto length = length_of(*region_time);
        const auto next = guess == Guess::Old ? nanoseconds(0) : length;
        if ((spent_ + next) * numbers::kTryParts > turns)
                return std::nullopt;
        return Try{cpus / 2, length};
}

void WidthProbe::decided(const std::optional<Try>& tried, std::uint32_t granted,
                         const Speedup& speedup, TimePoint now) {
        const bool is_tried = tried && tried->cpus == granted;
        if (is_tried && running_)
                return;
        if (running_) {
                if (speedup.elasticity_below(2 * running_->cpus, now).value_or(1) > numbers::kFew)
                        spent_ += now - running_->since;
                if (now >= running_->until && !speedup.has_seen(running_->cpus))
                        not_before_ = now + numbers::kHold;
                running_.reset();
        }
        if (is_tried)
                running_ = {granted, now, now + 2 * tried->length};
}

}  // namespace governor::evidence
