// SPDX-License-Identifier: MIT
//
// Looks after a running tree: its lease, and what follows the grants.
#pragma once

#include "outside/fence_record.hpp"
#include "run/fence.hpp"
#include "run/lease.hpp"
#include "run/parent.hpp"

#include <cstdint>
#include <optional>

namespace ctl::run {

/// CPUs that a tree is held to by a grant. One that was granted little because it uses little may
/// come back to its share at any time: the governor would never see that it wants more if it were
/// held to what it uses. Pure.
[[nodiscard]] std::uint32_t width_of(const Grant& grant);

class Steward {
public:
        /// `open`: what this process may use. The command is to begin with `threads`.
        Steward(Lease& lease, const CpuMask& open, std::uint32_t threads, bool fences);

        /// Is there anything to choose from, and does the kernel show where it went?
        [[nodiscard]] static bool can_fence(const CpuMask& open);

        [[nodiscard]] const CpuMask* at_start() const;

        /// The command runs.
        void begin();

        /// For the parent's loop.
        [[nodiscard]] Attention attend();

        /// The command has ended: those that go on get all back.
        void finish();

private:
        using Clock = Lease::Clock;
        void follow(Clock::time_point now);
        void put_down();

        Lease& lease_;
        CpuMask open_;
        std::optional<Fence> fence_;
        outside::FenceRecord record_;
        outside::Fenced fenced_;          // what it says
        std::vector<pid_t> children_;     // that it names
        Clock::time_point look_again_{};  // at these
        Clock::time_point guard_at_{};
        std::optional<Grant> followed_;   // the fence is of this
        Clock::time_point granted_last_;  // when there was a grant
};

}  // namespace ctl::run
