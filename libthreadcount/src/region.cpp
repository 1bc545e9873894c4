// SPDX-License-Identifier: MIT
// The calls of a program in front of its regions, and behind them.
#include "region.hpp"
#include "clock.hpp"
#include "handle.hpp"
#include "insiders.hpp"
#include "limits.hpp"
#include "masters.hpp"
#include "uncancelled.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <memory>
#include <optional>
#include <utility>

using namespace threadcount;

namespace {

/// The region that the calling thread has begun.
struct Begun {
        Masters::Mark master = 0;
        Insiders::Mark insider;
        std::uint32_t handle = 0;     // its serial number
        std::uint64_t at_ns = 0;      // 0: nothing that is to end; kUntimed
        std::uint64_t beside = 0;     // the period in which it went on beside somebody inside
        std::uint8_t stands_for = 1;  // regions, of which the next timed one is the last
        std::uint8_t untimed = 0;     // that come before that one
        // The team of the region whose end the stop watch is to tell; 0: there is none.
        std::uint32_t untold_team = 0;
        std::uint64_t watched_ns = 0;  // the end of the one before; 0: it is not known
};
constexpr std::uint64_t kUntimed = 1;

// The process has one of each, since it has one grant, however many handles, runtimes and libraries
// ask.
constinit Masters masters;
constinit Insiders insiders;
// Not by a call, as a thread's variable of a shared object is by default.
[[gnu::tls_model("initial-exec")]] constinit thread_local Begun begun;

struct Now {
        std::uint32_t threads;
        bool is_granted;  // and the region is reported to have begun
};

/// The next step of a thread.
enum class Next : std::uint8_t {
        Anything,  // it does not wait for the program's turn
        Untold,    // a region whose end is not told
        Told       // it counts as inside already
};

/// A clock that costs nothing, every half second.
[[gnu::always_inline]] inline std::uint64_t period_of(const threadcount_handle& handle) {
        return handle.lease.arena().heartbeat();
}

/// The process is reported to be parked. False: somebody is inside of a region.
bool report_parked(threadcount_handle& handle) {
        const auto period = period_of(handle);
        if (!insiders.none(period))
                return false;
        handle.lease.report_parked();
        if (insiders.still_none(period))
                return true;
        handle.lease.report(1, true);
        return false;
}

/// The program has waited until then, and waits no more.
bool gives_up(threadcount_handle& handle, std::uint64_t at_ms) {
        if (coarse_now_ms() < at_ms)
                return false;
        handle.lease.stop_waiting();
        return true;
}

/// Waits until it is the program's turn, or it gives up. False: another thread is inside of a
/// region and may wait for this one, which must therefore not wait.
bool wait_outside(threadcount_handle& handle, std::uint64_t give_up_ms) {
        // A thread that is inside for longer has not just come in front of a region, to wait as
        // well.
        constexpr timespec kGlance{0, 1'000'000};
        do {
                if (report_parked(handle))
                        continue;
                const auto period = period_of(handle);
                if (begun.beside != period)
                        (void)nanosleep(&kGlance, nullptr);
                if (is_inert(handle))
                        return true;
                if (!report_parked(handle)) {
                        begun.beside = period;
                        return false;
                }
        } while (wait_for_turn(handle) && !is_inert(handle) && !gives_up(handle, give_up_ms));
        return true;
}

/// The calling thread is outside of regions meanwhile. As wait_outside().
bool wait_before(threadcount_handle& handle, Next next, std::uint64_t give_up_ms) {
        if (next == Next::Untold && begun.insider.is_in)
                return false;           // this one is not an outermost region
        insiders.enter(begun.insider);  // so that no untold one counts any more
        insiders.leave(begun.insider);
        // A program that keeps its count need not know of this library, nor that it may wait.
        std::optional<Uncancelled> uncancelled;
        if (handle.lease.keeps())
                uncancelled.emplace();
        const bool has_waited = wait_outside(handle, give_up_ms);
        if (next == Next::Told)
                insiders.enter(begun.insider);
        return has_waited;
}

/// Returns what Lease::granted() does, after the program's turn has come, or it has waited for long
/// enough.
std::uint32_t granted_at_turn(threadcount_handle& handle, Next next, std::uint32_t team) {
        std::uint64_t give_up_ms = 0;
        for (bool would_wait = next != Next::Anything;;) {
                const auto granted = handle.lease.granted(would_wait, team);
                if (granted != Lease::kParked)
                        return granted;
                if (give_up_ms == 0)
                        give_up_ms = coarse_now_ms() +
                                     handle.longest_wait_ms.load(std::memory_order_relaxed);
                would_wait = wait_before(handle, next, give_up_ms);
                begun.watched_ns = 0;
                if (is_inert(handle))
                        return 0;  // a signal's handler has forked
        }
}

/// Apart from the hot path, which needs no stack.
[[gnu::noinline]] Now threads_slowly(threadcount_handle* handle, Next next, std::uint32_t team) {
        if (handle == nullptr)
                return {fallback_threads(), false};
        if (!is_inert(*handle))
                tell_wishes(*handle);
        if (const auto granted = is_inert(*handle) ? 0 : granted_at_turn(*handle, next, team);
            granted > 0)
                return {granted, true};
        if (is_inert(*handle))
                return {handle->max, false};
        const auto now_ms = coarse_now_ms();
        if (now_ms >= handle->next_poll_ms.load(std::memory_order_relaxed))
                consult(*handle, now_ms, 0);
        if (const auto last = handle->lease.granted_last(); last > 0)
                return {last, false};
        return {handle->threads.load(std::memory_order_relaxed), false};
}

/// Inlined where it is used: a call to an exported function goes by the linkage table.
[[gnu::always_inline]] inline Now threads_now(threadcount_handle* handle,
                                              Next next = Next::Anything, std::uint32_t team = 0) {
        if (handle != nullptr && !is_inert(*handle))
                if (const auto granted = handle->lease.granted_at_once(team); granted > 0)
                        return {granted, true};
        return threads_slowly(handle, next, team);
}

/// The calling thread's part. The thread is one of the process's masters from now on where
/// something is granted.
[[gnu::always_inline]] inline std::uint32_t part_of(Now now, const threadcount_handle* handle) {
        if (!now.is_granted)
                return now.threads;
        const auto sharing = masters.begin(begun.master, period_of(*handle));
        if (now.threads >= handle->whole_from)
                return now.threads;
        return now.threads > sharing ? now.threads / sharing : 1;
}

/// The times of regions of a program that keeps its teams need only be right on average. Each is a
/// number of ticks of the kernel, and as long as they are short only one of kSampled is taken, for
/// all of these.
constexpr std::uint8_t kSampled = 8;
constexpr std::uint64_t kShort_ns = 20'000'000;

[[gnu::always_inline]] inline std::uint64_t begin_clock(const threadcount_handle& handle) {
        if (!handle.environment.mode.keeps())
                return now_ns();
        if (begun.untimed == 0)
                return coarse_now_ns();
        begun.untimed--;
        return kUntimed;
}

[[gnu::always_inline]] inline void end_clock(threadcount_handle& handle, std::uint64_t began_ns,
                                             std::uint32_t team) {
        if (began_ns == kUntimed)
                return;
        if (!handle.environment.mode.keeps()) {
                handle.lease.took(team, now_ns() - began_ns, 1);
                return;
        }
        const auto took_ns = coarse_now_ns() - began_ns;
        const bool is_short = took_ns < kShort_ns;
        const std::uint32_t count = is_short ? begun.stands_for : 1;
        begun.stands_for = is_short ? kSampled : 1;
        begun.untimed = begun.stands_for - 1;
        handle.lease.took(team, took_ns * count, count);
}

/// `team`: which its end will tell, where it does not go by what is returned; else 0.
[[gnu::always_inline]] inline std::uint32_t begin(threadcount_handle* handle, std::uint32_t team) {
        insiders.enter(begun.insider);
        const auto now = threads_now(handle, Next::Told, team);
        const auto threads = part_of(now, handle);
        begun.at_ns = 0;
        begun.untold_team = 0;
        begun.watched_ns = 0;
        if (now.is_granted) {
                begun.handle = handle->serial;
                begun.at_ns = begin_clock(*handle);
        } else {
                insiders.leave(begun.insider);
        }
        return threads;
}

/// A program does not follow once so many regions in a row have teams larger than the grant. One
/// such region, as that of a clause at the start, is no reason.
constexpr std::uint32_t kWiderRegions = 3;

/// A program that does not follow takes rounds from now on, as if it had said so from the start.
void keep_if_wider(threadcount_handle& handle, std::uint32_t team) {
        if (is_inert(handle) || begun.at_ns == 0)
                return;
        auto& wider = handle.wider_regions;
        if (team <= handle.lease.granted_last())
                wider.store(0, std::memory_order_relaxed);
        else if (wider.fetch_add(1, std::memory_order_relaxed) + 1 >= kWiderRegions)
                threadcount_keeps(&handle);
}

/// Reports that the process is outside of regions, unless another thread is inside of one.
void report_outside(threadcount_handle& handle, std::uint32_t team) {
        const auto period = period_of(handle);
        if (!insiders.none(period))
                return;
        handle.lease.report(team, false);
        if (!insiders.still_none(period))
                handle.lease.report(team, true);
}

}  // namespace

uint32_t threadcount_threads(threadcount_handle* handle) { return threads_now(handle).threads; }

uint32_t threadcount_share(threadcount_handle* handle) {
        const auto now = threads_now(handle, Next::Untold);
        const auto threads = part_of(now, handle);
        begun.untold_team = 0;
        if (now.is_granted) {
                insiders.begin_untold(begun.insider, period_of(*handle));
                if (begun.at_ns == 0) {
                        begun.handle = handle->serial;
                        begun.untold_team = threads;
                }
        } else {
                begun.watched_ns = 0;
        }
        return threads;
}

void threadcount::watched_region(std::uint64_t now_ns) {
        const auto team = std::exchange(begun.untold_team, 0);
        if (team == 0)
                return;
        const auto before_ns = std::exchange(begun.watched_ns, now_ns);
        auto* handle = threadcount_default();
        if (before_ns > 0 && handle != nullptr && !is_inert(*handle) &&
            handle->serial == begun.handle)
                handle->lease.took(team, now_ns - before_ns, 1);
}

uint32_t threadcount_region_begin(threadcount_handle* handle) {
        if (handle != nullptr && handle->wider_regions.load(std::memory_order_relaxed) != 0)
                handle->wider_regions.store(0, std::memory_order_relaxed);
        return begin(handle, 0);
}

int threadcount_region_enter(threadcount_handle* handle, uint32_t team) {
        if (handle == nullptr)
                return 0;
        team = std::clamp(team, 1U, kMostThreads);
        if (handle->environment.mode.keeps() && team > handle->lease.wished())
                (void)threadcount_wish(handle, team);
        (void)begin(handle, team);
        if (!handle->lease.keeps())
                keep_if_wider(*handle, team);
        return begun.at_ns != 0 && handle->lease.is_crowded() ? 1 : 0;
}

void threadcount_region_end(threadcount_handle* handle, uint32_t team) {
        if (begun.at_ns == 0)
                return;
        const auto began_ns = std::exchange(begun.at_ns, 0);
        insiders.leave(begun.insider);
        if (handle == nullptr || is_inert(*handle) || handle->serial != begun.handle)
                return;
        team = team > 0 ? team : 1;
        end_clock(*handle, began_ns, team);
        report_outside(*handle, team);
}

uint32_t threadcount_cpus(threadcount_handle* handle, uint64_t* ret_cpus, size_t words) {
        const auto now = threads_now(handle);
        std::uint64_t word = 0;
        governor_grant_reason reason;
        if (!now.is_granted || handle->lease.arena().read_set(ret_cpus, words, &word, &reason) < 0)
                std::fill_n(ret_cpus, words, 0);
        return now.threads;
}

uint64_t threadcount_version(const threadcount_handle* handle) {
        return handle != nullptr && !is_inert(*handle) ? handle->lease.arena().load() : 0;
}

void threadcount_idle(threadcount_handle* handle) {
        if (handle == nullptr || is_inert(*handle))
                return;
        if (const auto team = handle->lease.granted_last(); team > 0)
                report_outside(*handle, team);
}

int threadcount_wish(threadcount_handle* handle, uint32_t max) {
        if (max < 1 || max > kMostThreads)
                return -EINVAL;
        if (handle == nullptr || is_inert(*handle))
                return 0;
        const auto most = handle->environment.max;
        handle->lease.wish(most != 0 ? std::min(most, max) : max);
        tell_wishes(*handle);
        return 0;
}

void threadcount_keeps(threadcount_handle* handle) {
        if (handle == nullptr || is_inert(*handle) || !handle->environment.mode.can_wait())
                return;
        handle->lease.keep();
        tell_wishes(*handle);
}

void threadcount_spins(threadcount_handle* handle) {
        if (handle == nullptr || is_inert(*handle))
                return;
        handle->lease.spin();
        tell_wishes(*handle);
}

void threadcount_progress(threadcount_handle* handle, uint64_t done, uint64_t total) {
        if (handle != nullptr && !is_inert(*handle))
                handle->lease.report_progress(std::min(done, total), total);
}

void threadcount::forget_regions() {
        std::construct_at(&masters);
        std::construct_at(&insiders);
        begun = {};
}
