// SPDX-License-Identifier: MIT
//
// The CPUs on which a tree may run: set at its start, moved while it runs, taken down at its end.
#pragma once

#include "outside/held_process.hpp"
#include "run/affinity.hpp"

#include <chrono>
#include <cstdint>
#include <sys/types.h>
#include <vector>

namespace ctl::run {

/// `count` CPUs: those of `first` that are in `allowed`, then others of `allowed`, behind the
/// highest of these and round: trees would meet on the lowest. All of `allowed` where there are no
/// more. Pure.
[[nodiscard]] CpuMask choose(const CpuMask& first, const CpuMask& allowed, std::uint32_t count);

/// The threads of a tree have the fence where they have what this has set last; threads that were
/// bound by somebody else are left alone. New threads and processes inherit it. This process keeps
/// its own affinity. A `run` inside of the tree is moved like any other, and moves its own tree as
/// soon as it sees that.
class Fence {
public:
        using Clock = std::chrono::steady_clock;

        /// The tree has not begun; it is to run on `count` CPUs, those of `granted` first.
        Fence(const CpuMask& open, const CpuMask& granted, std::uint32_t count);

        /// For the command's first thread; nullptr: it needs none.
        [[nodiscard]] const CpuMask* at_start() const { return is_up() ? &start_ : nullptr; }
        [[nodiscard]] bool is_up() const { return !(wanted_ == open_); }
        [[nodiscard]] const CpuMask& wanted() const { return wanted_; }

        /// Another one has moved what this process may use, as an outer `run` does, or a smaller
        /// cpuset: what was wanted is to be wanted anew. One system call.
        bool reopened();

        /// From now on. A program that spins is not held to less than at its start, unless the
        /// object that `run` has preloaded makes its threads sleep where they lack CPUs. Whether it
        /// does is looked at again after 0.1 s to 1 s. A program that has a lease of its own is
        /// given back all CPUs. Returns whether that is to be moved.
        bool want(const CpuMask& granted, std::uint32_t count);

        /// Moves the threads of the tree below this process, as far as they are not there yet.
        /// Costs a load if all are. Otherwise it takes some 10 us per thread, but at most a
        /// twentieth of a core, and acts at most ten times a second.
        void follow(Clock::time_point now);
        /// Others have moved threads of the tree to masks that this has set before.
        void look_again() { is_settled_ = false; }
        /// Nothing is to be moved.
        [[nodiscard]] bool is_settled() const { return is_settled_; }

        /// The masks that threads of the tree may have by this, now or after the next move, without
        /// what this process may use. The first is what the command began with.
        [[nodiscard]] std::vector<CpuMask> masks() const;
        [[nodiscard]] const CpuMask& open() const { return open_; }

        /// Gives all threads of the tree what this process may use. Takes a second at most.
        void take_down();

private:
        /// Returns how many threads were moved.
        std::size_t move_all();
        std::size_t move_process(const outside::ProcessId& process,
                                 const std::vector<pid_t>& threads);
        [[nodiscard]] CpuMask target_of(pid_t pid);
        [[nodiscard]] bool is_ours(const CpuMask& mask) const;
        void remember(const CpuMask& mask);

        CpuMask open_;    // what this process may use
        CpuMask start_;   // what the command began with
        CpuMask wanted_;  // what all are to have
        // Masks that threads may have by this, set last at the end. Few: a move leaves no thread
        // with an older one. One that was wanted but never set is not among them.
        std::vector<CpuMask> ours_;
        bool is_settled_ = true;
        bool is_narrower_soon_ = false;      // a process may come to sleep in the fence
        std::chrono::milliseconds again_{};  // between two looks whether it does
        Clock::time_point rest_until_{};
};

}  // namespace ctl::run
