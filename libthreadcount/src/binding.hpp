// SPDX-License-Identifier: MIT
//
// Binds the threads of this process to the CPUs of its grant: THREADCOUNT_BINDING=cores.
#pragma once

#include "arena.hpp"
#include "cpu_mask.hpp"
#include "locks/mutex.hpp"

#include <atomic>
#include <cstdint>

namespace threadcount {

/// The binding of a process, however many handles it has: a grant is the process's. Binds the
/// threads whose mask is the initial one or one that this has given them; all others were bound by
/// somebody else, and are left alone. New threads have the mask of the thread that creates them.
/// MT-Safe, constant initialisation.
class Binding {
public:
        /// A handle that binds was opened; the first one takes the mask of the process's first
        /// thread for the initial one. False: the kernel does not tell it, as with more than
        /// kMostCpus; then there is nothing to leave().
        [[nodiscard]] bool enter();
        /// It is closed; the last one gives all threads the initial mask.
        void leave();

        /// Constant between enter() and leave().
        [[nodiscard]] const CpuMask& initial() const { return initial_; }
        /// Adds the initial mask to `mask`, if there is one.
        void add_initial(CpuMask& mask);

        /// Binds to the grant that says `word`, of which the program uses `threads`. True: it is
        /// bound so. False: another thread is just binding, or the grant has changed since; call it
        /// again at the next region. Never waits. Costs a load if nothing has changed, unless
        /// `again`: threads that have the initial mask are looked for then, too. Any other call
        /// costs about 6 us and 1 us per thread of the process. One that binds the threads anew
        /// costs 60 us and 4 us per thread.
        [[nodiscard]] bool follow(const Arena& arena, std::uint64_t word, std::uint32_t threads,
                                  bool again);

        /// The next grant is of another governor: the same word may mean other CPUs. The threads
        /// keep their masks.
        void forget() { followed_.store(kNothing, std::memory_order_relaxed); }

        /// Gives all threads the initial mask, unless another thread is just binding. Never waits.
        void release();

        /// In a forked child, by its only thread: no handle is open, and it has the initial mask if
        /// it had one of ours. Async-signal-safe.
        void in_child() THREADCOUNT_NOT_ANALYSED;

private:
        static constexpr std::uint64_t kNothing = 0;  // no grant has epoch 0

        // Atomic, since a child may be forked while another thread writes it.
        struct SharedMask {
                std::atomic<std::uint64_t> words[CpuMask::kWords] = {};

                void store(const CpuMask& mask);
                [[nodiscard]] CpuMask load() const;
        };

        [[nodiscard]] bool is_ours(const CpuMask& mask) const;
        void bind_all(const CpuMask& mask) THREADCOUNT_REQUIRES(mutex_);
        [[nodiscard]] bool bind_once(const CpuMask& mask) THREADCOUNT_REQUIRES(mutex_);
        [[nodiscard]] bool bind(int thread, const CpuMask& mask) THREADCOUNT_REQUIRES(mutex_);

        Mutex mutex_;
        std::uint32_t handles_ THREADCOUNT_GUARDED_BY(mutex_) = 0;
        CpuMask initial_;                               // written by the first enter() only
        CpuMask asked_ THREADCOUNT_GUARDED_BY(mutex_);  // what all were to have, last
        // The masks that they were given then, which the kernel cuts to the cpuset, and before
        // that. No thread has a mask that is just being written.
        SharedMask given_[2];
        unsigned last_given_ THREADCOUNT_GUARDED_BY(mutex_) = 0;
        std::atomic<bool> is_bound_{false};
        std::atomic<std::uint64_t> followed_{kNothing};  // the word
};

/// The process's.
[[nodiscard]] Binding& process_binding();

}  // namespace threadcount
