// SPDX-License-Identifier: MIT
// Waiting for what was stolen.
#include "monotonic.hpp"
#include "scheduler.hpp"

#include <threadcount/pool/detail/lane_context.hpp>

#include <algorithm>

namespace threadcount::pool {

namespace {

// A chain of helpers that all wait is no longer than this, nor is a stack deeper than that of so
// many helps.
constexpr int kMostHelps = 32;
thread_local int helps = 0;

constexpr int kPausesBetweenLooks = 8;  // between two looks for what could be helped with
// A thief that is not done after this time gets less attention.
constexpr std::uint64_t kLookNs = 20'000;
constexpr std::uint64_t kFirstSleepNs = 50'000;
constexpr std::uint64_t kLongestSleepNs = 1'000'000;

/// Runs one fork of the lane that has stolen `fork`, or of the lane that this one waits for, and so
/// on. Nothing but parts of `fork`: others may wait for what the caller has not ended, or for a
/// lock that it holds.
///
/// A thief has no forks of its own when it steals. All that it forks until the stolen one ends is
/// therefore part of that. It may end, and the thief go over to something else, at any time. So
/// whether it goes on is asked after what the thief has forked, or waits for, was seen.
bool help(Scheduler& scheduler, std::uint32_t me, const Fork& fork) {
        if (helps == kMostHelps)
                return false;
        auto& queues = scheduler.queues();
        auto theft = fork.theft();
        for (int i = 0; theft && theft.thief() != me && i < kMostHelps; i++) {
                // A fork on another stack may be gone.
                const auto goes_on = [&] {
                        return i == 0 ? !fork.is_done() : queues.is_innermost(theft);
                };
                Fork* its = nullptr;
                if (queues.forks(theft.thief()).steal_if(goes_on, its)) {
                        queues.set_waits_for(me, {});  // what it runs waits for nothing yet
                        helps++;
                        queues.run_stolen(me, *its);
                        helps--;
                        return true;
                }
                const auto next = queues.waits_for(theft.thief());
                if (!goes_on())
                        return false;
                theft = next;
        }
        return false;
}

}  // namespace

void wake_thief(const LaneContext& lane) {
        auto& scheduler = *lane.scheduler;
        if (lane.lane != scheduler.guest())
                return scheduler.there_is_a_fork();
        scheduler.note_cpu_of_guest();
        scheduler.there_is_a_fork_of_guest();
}

void wait_for(const LaneContext& lane, Fork& fork) {
        auto& scheduler = *lane.scheduler;
        const auto me = lane.lane;
        std::uint64_t idle_since = 0;
        std::uint64_t sleep_ns = kFirstSleepNs;
        while (!fork.is_done()) {
                scheduler.queues().set_waits_for(me, fork.theft());
                if (help(scheduler, me, fork)) {
                        idle_since = 0;
                        continue;
                }
                const auto now = monotonic_ns();
                if (idle_since == 0)
                        idle_since = now;
                if (now - idle_since < kLookNs) {
                        for (int i = 0; i < kPausesBetweenLooks && !fork.is_done(); i++)
                                Machine::pause();
                } else {
                        if (me == scheduler.guest())
                                scheduler.forget_cpu_of_guest();
                        // Nobody announces the thief's next forks to a lane that waits.
                        fork.sleep_until(as_timespec(now + sleep_ns));
                        sleep_ns = std::min(2 * sleep_ns, kLongestSleepNs);
                }
        }
        scheduler.queues().set_waits_for(me, {});
}

}  // namespace threadcount::pool
