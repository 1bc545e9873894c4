// SPDX-License-Identifier: MIT
// Waiting for what was stolen.
#include "crew.hpp"
#include "monotonic.hpp"

#include <threadcount/pool/detail/lane_context.hpp>

#include <algorithm>

namespace threadcount::pool {

namespace {

// A chain of helpers that all wait is no longer than this, nor is a stack deeper than that of so
// many computations: one may be helped that has just ended, and another begun.
constexpr int kMostHelps = 32;
thread_local int helps = 0;

// As long as a lane searches, and then less often.
constexpr int kPauses = 100;
constexpr std::uint64_t kYieldNs = 20'000;
constexpr std::uint64_t kFirstSleepNs = 50'000;
constexpr std::uint64_t kLongestSleepNs = 1'000'000;

/// Runs one fork of who has stolen `fork`, or of whom that one waits for, and so on.
bool help(Crew& crew, std::uint32_t me, const Fork& fork) {
        if (helps == kMostHelps)
                return false;
        int thief = fork.thief();
        for (int i = 0; thief >= 0 && static_cast<std::uint32_t>(thief) != me && i < kMostHelps;
             i++) {
                Fork* its = nullptr;
                if (crew.queues().forks(static_cast<std::size_t>(thief)).steal(its)) {
                        helps++;
                        its->run_stolen(me);
                        helps--;
                        return true;
                }
                thief = crew.queues().waits_for(static_cast<std::size_t>(thief));
        }
        return false;
}

}  // namespace

void wake_thief(Crew& crew) { crew.there_is_work(); }

void wait_for(const LaneContext& lane, Fork& fork) {
        auto& crew = *lane.crew;
        const auto me = lane.lane;
        std::uint64_t idle_since = 0;
        std::uint64_t sleep_ns = kFirstSleepNs;
        for (int looks = 0; !fork.is_done(); looks++) {
                crew.queues().set_waits_for(me, fork.thief());
                if (help(crew, me, fork)) {
                        looks = 0;
                        idle_since = 0;
                } else if (looks < kPauses) {
                        Machine::pause();
                } else if (const auto now = monotonic_ns();
                           idle_since == 0 || now - idle_since < kYieldNs) {
                        idle_since = idle_since == 0 ? now : idle_since;
                        Machine::yield();
                } else {
                        // What it forks next is nobody's to announce to a lane that waits.
                        fork.sleep_until(as_timespec(now + sleep_ns));
                        sleep_ns = std::min(2 * sleep_ns, kLongestSleepNs);
                }
        }
        crew.queues().set_waits_for(me, -1);
}

}  // namespace threadcount::pool
