// SPDX-License-Identifier: MIT
// Two points, and the law through them.
#include "evidence/speedup.hpp"

#include "policy/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace governor::evidence {

namespace {

using std::chrono::duration;
using std::chrono::nanoseconds;

/// An observation that is older by as much counts e times less.
constexpr auto kSmoothing = numbers::kMemory / 2;

double in_ns(nanoseconds span) { return static_cast<double>(span.count()); }

/// Sizes that are closer tell less than chance does.
bool are_apart(std::uint32_t small, std::uint32_t large) {
        return large >= numbers::kApart * small;
}

}  // namespace

double knee_of(std::uint32_t small, double small_time, std::uint32_t large, double large_time) {
        constexpr double kMost = std::numeric_limits<std::uint32_t>::max();
        const double parallel = (small_time - large_time) / (1.0 / small - 1.0 / large);
        const double serial = large_time - parallel / large;
        if (parallel <= 0)
                return 0;
        return serial <= parallel / kMost ? kMost : parallel / serial;
}

bool Speedup::Size::is_seen() const {
        return is_known() || (regions >= numbers::kRegions && time_ns >= in_ns(numbers::kTick) / 2);
}

bool Speedup::Size::is_known() const { return time_ns >= in_ns(numbers::kWindow); }

std::optional<Speedup::Octaves> Speedup::report(const Totals& totals, TimePoint now) {
        const auto before = std::exchange(last_, totals);
        if (totals.cpus != present_.cpus)
                begin(totals.cpus, now);
        if (!before || (before->cpus != totals.cpus && before->cpus > 0) ||
            totals.regions <= before->regions || totals.time_ns <= before->time_ns)
                return std::nullopt;
        const double old = std::exp(-duration<double>(now - present_.at) / kSmoothing);
        present_.regions =
                present_.regions * old + static_cast<double>(totals.regions - before->regions);
        present_.time_ns =
                present_.time_ns * old + static_cast<double>(totals.time_ns - before->time_ns);
        present_.at = now;
        return compare(now);
}

/// New threads and cold caches make the first regions slow. A glance at the larger size can
/// therefore say that CPUs pay, and only a longer look that they do not; a glance at the smaller
/// one can say so if it comes second.
bool Speedup::pays(const Size& small, const Size& large) {
        return small.mean_ns() / large.mean_ns() >=
               std::pow(double{1} * large.cpus / small.cpus, numbers::kFew);
}

/// A size that was not looked at for long enough is forgotten, and the one before it stays.
void Speedup::begin(std::uint32_t cpus, TimePoint now) {
        if (present_.is_seen())
                before_ = present_;
        present_ = {cpus, 0, 0, now};
}

std::optional<Speedup::Octaves> Speedup::compare(TimePoint now) {
        if (!before_.is_seen() || !present_.is_seen() || !before_.is_fresh(now))
                return std::nullopt;
        const bool grew = before_.cpus < present_.cpus;
        if (grew && !before_.is_known())
                return std::nullopt;
        const auto& small = grew ? before_ : present_;
        const auto& large = grew ? present_ : before_;
        if (!are_apart(small.cpus, large.cpus) || !(large.is_known() || pays(small, large)))
                return std::nullopt;
        return find(small, large, now);
}

/// The octaves of which half or more lies between the two.
Speedup::Octaves Speedup::find(const Size& small, const Size& large, TimePoint now) {
        const auto knee = knee_of(small.cpus, small.mean_ns(), large.cpus, large.mean_ns());
        const auto first = std::min(policy::fair::octave_below(2 * small.cpus),
                                    policy::fair::octave_below(large.cpus));
        const auto last = policy::fair::octave_below(large.cpus);
        for (auto i = first; i <= last; i++) {
                note(i, policy::fair::amdahl_elasticity(knee, i), large.cpus == present_.cpus, now);
        }
        return {first, last};
}

/// A phase that ended where a step began looks like this, too: one step alone takes something away
/// for kMemory only.
void Speedup::note(std::size_t octave, double elasticity, bool grew, TimePoint now) {
        auto& belief = beliefs_[octave];
        const bool is_few = elasticity < numbers::kFew;
        const bool was_few =
                now < belief.until && found_.elasticity(octave).value_or(1) < numbers::kFew;
        found_.learn(octave, elasticity);
        if (!was_few)
                belief = {now + (is_few ? numbers::kMemory : numbers::kHold), grew, false};
        belief.is_sure = belief.is_sure || grew != belief.grew;
        if (belief.is_sure || !is_few)
                belief.until = now + numbers::kHold;
}

policy::fair::Scaling Speedup::scaling(TimePoint now) const {
        policy::fair::Scaling scaling;
        for (std::size_t i = 0; i < beliefs_.size(); i++)
                if (const auto known = found_.elasticity(i); known && now < beliefs_[i].until)
                        scaling.learn(i, *known);
        return scaling;
}

std::optional<double> Speedup::elasticity_below(std::uint32_t cpus, TimePoint now) const {
        return scaling(now).elasticity(policy::fair::octave_below(cpus));
}

bool Speedup::has_seen(std::uint32_t cpus) const {
        return present_.cpus == cpus && present_.is_seen();
}

std::optional<nanoseconds> Speedup::region_time(std::uint32_t cpus, TimePoint now) const {
        if (present_.cpus != cpus || !present_.is_known() || !present_.is_fresh(now))
                return std::nullopt;
        constexpr double kMost = 1e18;  // thirty years
        return nanoseconds(static_cast<std::int64_t>(std::min(present_.mean_ns(), kMost)));
}

}  // namespace governor::evidence
