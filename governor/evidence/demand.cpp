// SPDX-License-Identifier: MIT
// A sliding maximum, and how long nothing has been done.
#include "evidence/demand.hpp"

#include "policy/numbers.hpp"

#include <algorithm>
#include <limits>

namespace governor::evidence {

namespace {

constexpr auto kAll = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kMillicpuOfOne = 1000;
constexpr auto kIdleAgain = 2 * numbers::kWindow;

/// Others had the client's CPUs, so its burn does not tell what it wants. Otherwise a client that
/// is crowded out would seem to want less, get less, and be crowded out for ever.
bool is_crowded_out(const Usage& usage) {
        const auto granted = std::uint64_t{std::max(usage.granted, 1U)} * kMillicpuOfOne;
        const auto missing = granted - std::min<std::uint64_t>(granted, usage.burn_millicpu);
        return missing > 0 && usage.idle_millicpu < missing / 2;
}

/// The CPUs that `usage` needs with half as many to spare; kAll if that is more than it has. One
/// rule for both, so that a client held to what it needs is not taken for saturated there. The
/// reserve is that large because teams that wait asleep for their slowest thread keep CPUs busy for
/// less than their region takes. They must be able to grow again. One that is crowded out needs
/// twice what it has: if it seems so only because nobody leaves a CPU idle, that does not cost its
/// neighbours half of the machine.
std::uint32_t needs(const Usage& usage) {
        const auto granted = std::max(usage.granted, 1U);
        const auto cpus = (std::uint64_t{usage.burn_millicpu} * 3 + 2 * kMillicpuOfOne - 1) /
                          (2 * kMillicpuOfOne);
        if (cpus > granted)
                return kAll;
        if (is_crowded_out(usage))
                return 2 * granted;
        return std::max(static_cast<std::uint32_t>(cpus), 1U);
}

}  // namespace

bool Demand::is_low(const Usage& usage) const {
        if (usage.stopped)
                return true;
        if (usage.in_region) {
                // Threads that have to wait for others get something, and those that sleep nothing.
                const bool may_wait =
                        usage.burn_millicpu >= numbers::kAsleep_millicpu && is_crowded_out(usage);
                return !may_wait && usage.burn_millicpu < std::uint64_t{usage.granted} *
                                                                  kMillicpuOfOne / numbers::kLittle;
        }
        // Work on a single CPU may be regions of one thread that nobody happened to look at. But a
        // client that was idle before its grant was lent away is no less idle afterwards.
        const bool may_be_regions = usage.granted <= 1 && !idle_;
        return usage.burn_millicpu < (may_be_regions
                                              ? kMillicpuOfOne / numbers::kLittle
                                              : kMillicpuOfOne + kMillicpuOfOne / numbers::kLittle);
}

void Demand::add(const Usage& usage, TimePoint now) {
        if (!is_low(usage))
                low_since_.reset();
        else if (!low_since_)
                low_since_ = usage.stopped ? now
                                           : std::max(usage.since, began_at_.value_or(usage.since));
        const auto patience = usage.stopped                       ? patience_of_stopped(now)
                              : usage.in_region && has_woken(now) ? kIdleAgain
                                                                  : numbers::kWindow;
        const bool was_idle = idle_;
        idle_ = low_since_ && (idle_ || now - *low_since_ >= numbers::on_time(patience));
        if (was_idle && !idle_)
                goes_on(now);  // in the middle of its region
        if (usage.stopped && !idle_)
                woke_at_ = now;

        while (!peaks_.empty() && peaks_.front().at + numbers::kMemory < now)
                peaks_.pop_front();
        if (!tells_of_regions(usage, now))
                return;
        const auto wants = needs(usage);
        while (!peaks_.empty() && peaks_.back().wants <= wants)
                peaks_.pop_back();
        peaks_.push_back({now, wants});
}

/// False where it did next to nothing and began no region, and where its region, which goes on,
/// began after such a period.
bool Demand::tells_of_regions(const Usage& usage, TimePoint now) {
        if (is_low(usage) && (!began_at_ || *began_at_ <= usage.since)) {
                outside_until_ = now;
                return false;
        }
        return !usage.in_region || !outside_until_ || *outside_until_ < usage.since;
}

void Demand::stopped(TimePoint now) {
        if (!low_since_)
                low_since_ = now;
        idle_ = idle_ || now - *low_since_ >= patience_of_stopped(now);
}

bool Demand::quiet(TimePoint since, TimePoint now) {
        if (idle_ || now - since < (has_woken(now) ? kIdleAgain : numbers::kLasting))
                return false;
        if (!low_since_)
                low_since_ = since;
        return idle_ = true;
}

/// A program that is stopped and let go on all the time, as cpulimit(1) does, must not disturb its
/// neighbours: it has to be stopped for longer before it is idle.
std::chrono::milliseconds Demand::patience_of_stopped(TimePoint now) const {
        return woke_again_ && has_woken(now) ? kIdleAgain : std::chrono::milliseconds{0};
}

bool Demand::has_woken(TimePoint now) const {
        return woke_at_ && now - *woke_at_ < numbers::kMemory;
}

void Demand::goes_on(TimePoint now) {
        woke_again_ = has_woken(now);
        woke_at_ = now;
}

void Demand::woke(TimePoint now) {
        if (idle_) {
                peaks_.clear();
                goes_on(now);
        }
        idle_ = false;
        low_since_.reset();
        began_at_ = now;
}

std::uint32_t Demand::wants() const {
        return peaks_.empty() || peaks_.front().wants == kAll ? 0 : peaks_.front().wants;
}

}  // namespace governor::evidence
