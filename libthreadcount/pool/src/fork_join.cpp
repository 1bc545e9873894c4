// SPDX-License-Identifier: MIT
// Waiting for what was stolen.
#include "monotonic.hpp"
#include "scheduler.hpp"

#include <threadcount/pool/detail/lane_context.hpp>

#include <algorithm>

namespace threadcount::pool {

namespace {

// A chain of helpers that all wait is no longer than this, nor is a stack deeper than that of so
// many computations. The lane that is helped may have just ended its fork, and begun another one.
constexpr int kMostHelps = 32;
thread_local int helps = 0;

constexpr int kPausesBetweenLooks = 8;  // between two looks for what could be helped with
// A thief that is not done after this time gets less attention.
constexpr std::uint64_t kLookNs = 20'000;
constexpr std::uint64_t kFirstSleepNs = 50'000;
constexpr std::uint64_t kLongestSleepNs = 1'000'000;

/// Runs one fork of the lane that has stolen `fork`, or of the lane that this one waits for, and so
/// on.
bool help(Scheduler& scheduler, std::uint32_t me, const Fork& fork) {
        if (helps == kMostHelps)
                return false;
        int thief = fork.thief();
        for (int i = 0; thief >= 0 && static_cast<std::uint32_t>(thief) != me && i < kMostHelps;
             i++) {
                Fork* its = nullptr;
                if (scheduler.queues().forks(static_cast<std::size_t>(thief)).steal(its)) {
                        helps++;
                        its->run_stolen(me);
                        helps--;
                        return true;
                }
                thief = scheduler.queues().waits_for(static_cast<std::size_t>(thief));
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
                scheduler.queues().set_waits_for(me, fork.thief());
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
        scheduler.queues().set_waits_for(me, -1);
}

}  // namespace threadcount::pool
