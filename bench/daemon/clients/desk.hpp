// SPDX-License-Identifier: MIT
//
// The memory that a program of a made-up machine shares with its kernel, and the arithmetic of its
// regions.
#pragma once

#include "policy/cpu_mask.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace bench {

/// A team from `at_ns` on. 0 threads: the program waits for its turn, or has ended.
struct Team {
        static constexpr std::size_t kWords = 16;

        std::int64_t at_ns = 0;  // of CLOCK_MONOTONIC
        std::uint32_t threads = 0;
        std::array<std::uint64_t, kWords> cpus{};  // none: the program does not know them

        [[nodiscard]] governor::policy::CpuMask mask() const;
};

struct Desk {
        static constexpr std::uint32_t kMostTeams = 1024;

        /// A team like the last one is left out.
        void note(const Team& team);

        std::atomic<std::uint32_t> begins{0};  // the worker waits on it until it is 1
        /// By the kernel: how much longer all regions so far take, since other programs run on the
        /// same CPUs.
        std::atomic<std::int64_t> lost_ns{0};
        std::atomic<std::uint32_t> count{0};  // of teams; those above kMostTeams are not kept
        std::array<Team, kMostTeams> teams;
        std::int64_t asked_ns = 0;  // the time of its hello
        // The real machine wakes programs late. The next region is shortened by as much.
        std::int64_t late_ns = 0;
        std::int64_t latest_ns = 0;
        std::uint64_t wakes = 0;
};

/// Regions of `each_ns` that are slept together: the real machine has few CPUs to wake up on. At
/// least one, at most `left`.
[[nodiscard]] std::uint64_t regions_at_once(double each_ns, std::uint64_t left);

}  // namespace bench
