// SPDX-License-Identifier: MIT
//
// Looks after a running tree: its lease, and what follows the grants.
#pragma once

#include "outside/fence_record.hpp"
#include "outside/yielding.hpp"
#include "run/fence.hpp"
#include "run/lease.hpp"
#include "run/parent.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ctl::run {

/// CPUs that a tree is held to by a grant. A tree that was granted little because it uses little
/// may come back to its share at any time. The governor would never see that it wants more if it
/// were held to what it uses. Pure.
[[nodiscard]] std::uint32_t width_of(const Grant& grant);

class Steward {
public:
        /// The means by which a tree is made to keep to its grant.
        enum class Way : std::uint8_t {
                Nothing,
                Fence,
                Yield  ///< others go first while it waits for its turn
        };

        /// What acts on the tree while it does not wait for its turn, for users to read.
        struct Acts {
                std::string all;
                std::string without_fence;
        };
        /// `open`: what this process may use. The command is to begin with `threads`.
        Steward(Lease& lease, const CpuMask& open, std::uint32_t threads, Way way, Acts acts);

        /// Does the kernel show which processes are in the tree?
        [[nodiscard]] static bool can_fence();

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
        void follow_outer(Clock::time_point now);
        void inherit(const CpuMask& open);
        /// False: there is no fence any more, since no record of it can be written.
        bool put_down();
        /// Returns when to call it again.
        [[nodiscard]] std::chrono::milliseconds wait_for_turn(Clock::time_point now);
        void tell(const std::string& acts);

        Lease& lease_;
        Acts acts_;
        std::optional<Fence> fence_;
        std::optional<Fence> inherited_;  // without one: what an outer `run` gives to this process
        std::uint32_t most_inherited_ = 0;  // CPUs
        outside::FenceRecord record_;
        outside::Fenced fenced_;          // what it says
        Clock::time_point look_again_{};  // at the processes that it names
        Clock::time_point guard_at_{};
        Clock::time_point fit_at_{};  // the fence to a grant that has not changed since the start
        bool takes_turns_;
        bool waits_ = false;                         // for its turn
        std::optional<outside::Yielding> yielding_;  // from its first wait on
        std::string told_;                           // what acts, as the governor knows it
        std::optional<Grant> followed_;              // the fence is of this
        Clock::time_point granted_last_;             // when there was a grant
};

}  // namespace ctl::run
