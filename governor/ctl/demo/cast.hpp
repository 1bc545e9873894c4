// SPDX-License-Identifier: MIT
//
// Programs that run at the same time, each a process of its own.
#pragma once

#include "demo/team.hpp"
#include "demo/words.hpp"
#include "run/signals.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ctl::demo {

/// What they have in common.
struct Plot {
        Work work;
        std::vector<std::string> names;      ///< at most 8
        std::chrono::milliseconds apart{0};  ///< between two starts
        std::string socket;                  ///< of their governor; empty: none
        bool in_turn = false;                ///< they are batch programs, equally long
};

/// They die with this process, and are killed when this goes.
class Cast {
public:
        /// Starts all of them. The process has one thread.
        Cast(const run::Signals& signals, const Plot& plot);
        ~Cast();
        Cast(const Cast&) = delete;
        Cast& operator=(const Cast&) = delete;

        /// Takes note of those that have ended; throws std::runtime_error if one has failed.
        void look();
        [[nodiscard]] bool is_over() const;
        /// Of the work of all, 0 .. 1.
        [[nodiscard]] double done() const;
        /// One that has still to work, 0: none.
        [[nodiscard]] pid_t somebody() const;
        /// Since the start of the first.
        [[nodiscard]] double seconds() const;
        /// How far they came until now.
        [[nodiscard]] Act act() const;

private:
        using Clock = std::chrono::steady_clock;
        struct Shared;
        struct Member {
                pid_t pid = -1;  ///< 0: it has ended
                double seconds = 0;
        };
        [[noreturn]] void play(const Plot& plot, std::size_t member) const;

        Plot plot_;
        Shared* shared_;  ///< with all members
        Clock::time_point started_;
        std::vector<Member> members_;
};

}  // namespace ctl::demo
