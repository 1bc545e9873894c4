// SPDX-License-Identifier: MIT
// Two points, and the law through them.
#include "evidence/speedup.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace governor::evidence {

namespace {

using std::chrono::duration;
using std::chrono::nanoseconds;

double in_ns(nanoseconds span) { return static_cast<double>(span.count()); }

/// Sizes that are closer tell less than chance does.
bool are_apart(std::uint32_t small, std::uint32_t large) {
        return std::uint64_t{2} * large >= std::uint64_t{3} * small;
}

}  // namespace

std::uint32_t knee_of(std::uint32_t small, double small_time, std::uint32_t large,
                      double large_time) {
        constexpr double kMost = std::numeric_limits<std::uint32_t>::max();
        const double parallel = (small_time - large_time) / (1.0 / small - 1.0 / large);
        const double serial = large_time - parallel / large;
        if (parallel <= 0)
                return 0;
        if (serial <= 0)
                return std::numeric_limits<std::uint32_t>::max();
        return static_cast<std::uint32_t>(std::clamp(std::round(parallel / serial), 1.0, kMost));
}

bool Speedup::Size::is_seen() const {
        return is_known() || (regions >= kRegions && time_ns >= in_ns(kShort));
}

bool Speedup::Size::is_known() const { return time_ns >= in_ns(kLong); }

void Speedup::report(const Totals& totals, TimePoint now) {
        const auto before = std::exchange(last_, totals);
        if (totals.cpus != present_.cpus)
                begin(totals.cpus, now);
        if (!before || before->cpus != totals.cpus || totals.regions <= before->regions ||
            totals.time_ns <= before->time_ns)
                return;
        const double old = std::exp(-duration<double>(now - present_.at) / kSmoothing);
        present_.regions =
                present_.regions * old + static_cast<double>(totals.regions - before->regions);
        present_.time_ns =
                present_.time_ns * old + static_cast<double>(totals.time_ns - before->time_ns);
        present_.at = now;
        compare(now);
}

/// What was not looked at for long enough is forgotten, and the one before it stays.
void Speedup::begin(std::uint32_t cpus, TimePoint now) {
        if (present_.is_known())
                before_ = present_;
        present_ = {cpus, 0, 0, now};
}

void Speedup::compare(TimePoint now) {
        if (!before_.is_known() || !before_.is_fresh(now))
                return;
        if (present_.is_seen() && are_apart(present_.cpus, before_.cpus))
                find(present_, before_, now);
        else if (present_.is_known() && are_apart(before_.cpus, present_.cpus))
                find(before_, present_, now);
}

void Speedup::find(const Size& small, const Size& large, TimePoint now) {
        const auto knee = knee_of(small.cpus, small.mean_ns(), large.cpus, large.mean_ns());
        const bool grew = large.cpus == present_.cpus;
        if (now >= found_.until)
                found_ = {0, 0, small.cpus, large.cpus, grew, false, now};
        found_.least = std::min(found_.least, small.cpus);
        found_.most = std::max(found_.most, large.cpus);
        const bool do_all_pay = knee / kFar >= large.cpus;
        if (do_all_pay && found_.knee > 0 && large.cpus < found_.most) {
                // Fewer than are enough were tried; or these are not, as a first glance has said.
                if (small.cpus >= found_.enough)
                        found_.enough = large.cpus;
                return;
        }
        const bool is_first = found_.knee == 0;
        const bool is_less = small.cpus < found_.enough;
        found_.knee = do_all_pay ? 0 : std::max(knee, 1U);
        found_.enough = do_all_pay ? 0 : is_first || is_less ? small.cpus : found_.enough;
        // To have fewer of what is left is as doubtful as it was at first.
        if (!do_all_pay && (is_first || (is_less && found_.is_sure))) {
                found_.grew = grew;
                found_.is_sure = false;
                found_.until = now + kFresh;
        } else if (large.cpus == found_.most) {
                found_.is_sure = found_.is_sure || grew != found_.grew;
                if (do_all_pay || found_.is_sure)
                        found_.until = now + kHold;
        }
}

std::uint32_t Speedup::knee(TimePoint now) const { return now < found_.until ? found_.knee : 0; }

std::uint32_t Speedup::enough(TimePoint now) const {
        return now < found_.until ? found_.enough : 0;
}

bool Speedup::is_known(std::uint32_t cpus, TimePoint now) const {
        return now < found_.until && found_.least < cpus && cpus <= found_.most;
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
