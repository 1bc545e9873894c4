// SPDX-License-Identifier: MIT
// Three wishes, one set of active lanes.
#include "steering.hpp"

#include "monotonic.hpp"
#include "scheduler.hpp"

#include <algorithm>
#include <new>

namespace threadcount::pool {

namespace {

constexpr std::uint64_t kLookAround_ms = 100;
// A grant may name CPUs up to 8191.
constexpr std::size_t kWords = 128;

bool has(std::span<const std::uint64_t> words, int cpu) {
        const auto at = static_cast<std::size_t>(cpu);
        return at / 64 < words.size() && (words[at / 64] >> at % 64 & 1) != 0;
}

}  // namespace

Steering::Steering(Scheduler& scheduler, Affinity affinity)
        : scheduler_(scheduler), affinity_(affinity), wanted_(scheduler.sites().size(), true),
          at_home_(scheduler.sites().size(), true) {}

bool Steering::set_mask(std::span<const int> cpus) {
        {
                const MutexLock lock(mutex_);
                std::vector<bool> wanted(wanted_.size());
                for (std::size_t lane = 0; lane < wanted.size(); lane++)
                        wanted[lane] =
                                std::ranges::find(cpus, scheduler_.cpu_of(lane)) != cpus.end();
                if (std::ranges::find(wanted, true) == wanted.end())
                        return false;
                wanted_ = std::move(wanted);
                update_locked();
        }
        tell_idle();
        return true;
}

void Steering::follow(threadcount_handle* handle) {
        {
                const MutexLock lock(mutex_);
                report_locked(handle != nullptr);  // by the one that it has followed so far
                handle_.store(handle, std::memory_order_release);
                update_locked();
        }
        tell_idle();
}

void Steering::update() {
        if (!mutex_.try_lock())
                return;
        const MutexLock lock(mutex_, MutexLock::Adopt::Locked);
        try_update_locked();
}

void Steering::try_update_locked() noexcept {
        try {
                update_locked();
        } catch (const std::bad_alloc&) {
                // The lanes stay as they were; it is tried again before the next task.
        }
}

void Steering::update_locked() {
        auto* handle = handle_.load(std::memory_order_relaxed);
        if (handle == nullptr) {
                apply({}, wanted_.size());
                return;
        }
        is_told_idle_.store(false, std::memory_order_seq_cst);
        // Read first: if the grant changes meanwhile, it is outdated again.
        const auto version = threadcount_version(handle);
        std::uint64_t cpus[kWords];
        const auto threads = threadcount_cpus(handle, cpus, kWords);
        apply(cpus, threads);
        version_.store(version, std::memory_order_relaxed);
}

/// Activates the lanes that are both wanted and granted: as many of them as are granted, and at
/// least one. The governor's number counts, and the program's CPUs, where the two have no CPU in
/// common.
void Steering::apply(std::span<const std::uint64_t> granted_cpus, std::size_t granted) {
        std::vector<std::size_t> usable;
        for (std::size_t lane = 0; lane < wanted_.size(); lane++)
                if (wanted_[lane] && at_home_[lane])
                        usable.push_back(lane);
        if (usable.empty())  // the kernel has moved lanes away from what the program wanted
                for (std::size_t lane = 0; lane < wanted_.size(); lane++)
                        if (at_home_[lane])
                                usable.push_back(lane);
        const auto is_elsewhere = [&](std::size_t lane) {
                return !has(granted_cpus, scheduler_.cpu_of(lane));
        };
        if (!std::ranges::all_of(usable, is_elsewhere))
                std::erase_if(usable, is_elsewhere);
        usable.resize(std::clamp<std::size_t>(granted, 1, usable.size()));
        std::vector<std::uint64_t> words(wanted_.size() / 64 + 1, 0);
        for (const auto lane : usable)
                words[lane / 64] |= std::uint64_t{1} << lane % 64;
        scheduler_.set_active(words);
}

bool Steering::look_around(int cpu) {
        const auto now_ms = coarse_ms();
        auto looked_ms = looked_ms_.load(std::memory_order_relaxed);
        if (now_ms - looked_ms < kLookAround_ms ||
            !looked_ms_.compare_exchange_strong(looked_ms, now_ms, std::memory_order_relaxed))
                return false;
        if (!mutex_.try_lock())
                return true;
        const MutexLock lock(mutex_, MutexLock::Adopt::Locked);
        try {
                std::vector<int> allowed;
                if (affinity_ == Affinity::Followed && allowed_.has_changed(cpu, allowed))
                        move_lanes(std::move(allowed));
                else if (handle_.load(std::memory_order_relaxed) == nullptr &&
                         !scheduler_.has_lost_a_lane())
                        return true;
                update_locked();
                report_locked();
        } catch (const std::bad_alloc&) {
                // The next look is in 100 ms.
        }
        return true;
}

/// Lanes whose CPU is not allowed any more get one that is allowed and has no lane; those that get
/// none rest.
void Steering::move_lanes(std::vector<int> allowed) {
        for (std::size_t lane = 0; lane < at_home_.size(); lane++) {
                const auto at = std::ranges::find(allowed, scheduler_.cpu_of(lane));
                at_home_[lane] = at != allowed.end();
                if (at_home_[lane])
                        allowed.erase(at);
        }
        for (std::size_t lane = 0; lane < at_home_.size(); lane++) {
                if (!at_home_[lane] && !allowed.empty()) {
                        scheduler_.move(lane, allowed.front());
                        at_home_[lane] = true;
                        allowed.erase(allowed.begin());
                }
                scheduler_.pin_again(lane);
        }
}

std::vector<int> Steering::cpus_at_home() {
        const MutexLock lock(mutex_);
        std::vector<int> cpus;
        for (std::size_t lane = 0; lane < at_home_.size(); lane++)
                if (at_home_[lane])
                        cpus.push_back(scheduler_.cpu_of(lane));
        return cpus;
}

/// A lane that is told of idleness while another one tells it leaves its last tasks to that one.
/// Also for a lane that has found the lock taken meanwhile, and relies on its holder.
void Steering::tell_idle() {
        is_report_due_.store(true, std::memory_order_seq_cst);
        do {
                if (!mutex_.try_lock())
                        return;
                const MutexLock lock(mutex_, MutexLock::Adopt::Locked);
                tell_idle_locked();
                report_locked();
        } while (is_report_due_.load(std::memory_order_seq_cst));
}

void Steering::tell_idle_locked() {
        auto* handle = handle_.load(std::memory_order_relaxed);
        if (handle == nullptr || !scheduler_.is_idle() ||
            is_told_idle_.exchange(true, std::memory_order_seq_cst))
                return;
        threadcount_idle(handle);
        // A thread that has begun meanwhile may not have seen that this was told.
        if (!scheduler_.is_idle())
                try_update_locked();
}

/// Called only if somebody looks around anyway, or there is nothing to do, so that it costs tasks
/// nothing. It costs some 100 ns whenever the pool has become idle, as it does with each guest that
/// goes.
void Steering::report_locked(bool has_lanes) {
        is_report_due_.store(false, std::memory_order_seq_cst);
        auto* handle = handle_.load(std::memory_order_relaxed);
        if (handle == nullptr)
                return;
        threadcount_pool_totals now = THREADCOUNT_POOL_TOTALS_INIT;
        now.lanes = has_lanes ? scheduler_.sites().size() : 0;
        now.active = has_lanes ? scheduler_.width() : 0;
        for (std::size_t lane = 0; lane < scheduler_.sites().size(); lane++) {
                const auto counted = scheduler_.lane(lane).statistics();
                now.executed += counted.executed;
                now.stolen += counted.stolen;
                now.parked += counted.parked;
                now.woken += counted.woken;
        }
        (void)threadcount_pool_report(handle, &now, &told_);
}

void Steering::end() {
        const MutexLock lock(mutex_);
        report_locked(false);
        handle_.store(nullptr, std::memory_order_relaxed);
}

}  // namespace threadcount::pool
