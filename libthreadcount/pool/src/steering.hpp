// SPDX-License-Identifier: MIT
//
// The choice of active lanes by what the program, the governor and the kernel want, together.
#pragma once

#include "allowed_cpus.hpp"
#include "locks/mutex.hpp"

#include <threadcount/threadcount.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace threadcount::pool {

class Scheduler;

/// Do lanes go where the kernel allows the process to be?
enum class Affinity { Followed, Ignored };

/// MT-Safe.
class Steering {
public:
        Steering(Scheduler& scheduler, Affinity affinity);
        Steering(const Steering&) = delete;
        Steering& operator=(const Steering&) = delete;

        /// The program wants no lanes but those on `cpus`. False, and nothing changes: there are
        /// none.
        [[nodiscard]] bool set_mask(std::span<const int> cpus);

        /// From now on lanes are those that `handle` grants, too; nullptr: not any more. It must
        /// stay open as long as the scheduler lives: keep_up() takes no lock, and may have read it
        /// before.
        void follow(threadcount_handle* handle);

        /// Called before each task, and by each thread that submits one. Goes by the grant of now
        /// if it has changed, or if the governor was told that there is nothing to do. Leaves it to
        /// the next call if another thread is just doing so. Costs some ns.
        void keep_up() {
                // Acquired: it may have been opened, and its memory written, a moment ago.
                auto* handle = handle_.load(std::memory_order_acquire);
                if (handle != nullptr &&
                    (threadcount_version(handle) != version_.load(std::memory_order_relaxed) ||
                     is_told_idle_.load(std::memory_order_relaxed)))
                        update();
        }

        // For lanes.

        /// Called now and then, by a lane that is on CPU `cpu`. Looks at most every 100 ms whether
        /// the governor is there, and whether the kernel still allows the lanes' CPUs. Lanes that
        /// got no thread may try again. False: the 100 ms are not over yet.
        bool look_around(int cpu);

        /// The CPUs of lanes, but for those that the kernel does not allow any more, as far as a
        /// lane has seen that.
        [[nodiscard]] std::vector<int> cpus_at_home();

        [[nodiscard]] bool is_following() const {
                return handle_.load(std::memory_order_relaxed) != nullptr;
        }
        /// The scheduler has nothing to do, as it seems.
        void tell_idle();

        /// The lanes have ended: tells the governor what they have done, and forgets the handle. No
        /// other function is called any more.
        void end();

private:
        void update();
        void try_update_locked() noexcept THREADCOUNT_REQUIRES(mutex_);
        void tell_idle_locked() THREADCOUNT_REQUIRES(mutex_);
        void report_locked(bool has_lanes = true) THREADCOUNT_REQUIRES(mutex_);
        void apply(std::span<const std::uint64_t> granted_cpus, std::size_t granted)
                THREADCOUNT_REQUIRES(mutex_);
        void update_locked() THREADCOUNT_REQUIRES(mutex_);
        void move_lanes(std::vector<int> allowed) THREADCOUNT_REQUIRES(mutex_);

        Scheduler& scheduler_;
        const Affinity affinity_;
        std::atomic<threadcount_handle*> handle_{nullptr};
        std::atomic<std::uint64_t> version_{0};
        std::atomic<std::uint64_t> looked_ms_{0};
        std::atomic<bool> is_told_idle_{false};
        std::atomic<bool> is_report_due_{false};
        Mutex mutex_;
        std::vector<bool> wanted_ THREADCOUNT_GUARDED_BY(mutex_);  // by lane
        // By lane: it has a CPU that the kernel allows.
        std::vector<bool> at_home_ THREADCOUNT_GUARDED_BY(mutex_);
        AllowedCpus allowed_ THREADCOUNT_GUARDED_BY(mutex_);
        // The totals of the lanes that the governor was told.
        threadcount_pool_totals told_ THREADCOUNT_GUARDED_BY(mutex_) = THREADCOUNT_POOL_TOTALS_INIT;
};

}  // namespace threadcount::pool
