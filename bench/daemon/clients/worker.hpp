// SPDX-License-Identifier: MIT
//
// A program of a made-up machine, in a process of its own: it asks libthreadcount for its teams as
// any program does, and sleeps as long as the work of its regions would take.
#pragma once

#include "simulation/scenario/scenario.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace bench {

/// A team from then on; 0 threads: it waits for its turn, or is gone.
struct Team {
        static constexpr std::size_t kWords = 16;

        std::int64_t at_ns = 0;  // of CLOCK_MONOTONIC
        std::uint32_t threads = 0;
        std::array<std::uint64_t, kWords> cpus{};  // none: it does not know
};

/// What a worker shares with its kernel.
struct Desk {
        static constexpr std::uint32_t kMostTeams = 1024;

        void note(const Team& team);

        std::atomic<std::uint32_t> begins{0};  // the worker waits on it until it is 1
        /// By the kernel: how much longer all regions so far take since others run on the same
        /// CPUs.
        std::atomic<std::int64_t> lost_ns{0};
        std::atomic<std::uint32_t> count{0};  // of teams; more than kMostTeams were not noted
        std::array<Team, kMostTeams> teams;
        std::int64_t asked_ns = 0;  // when it says hello
        // Wakes are as late as the real machine makes them; the next region makes up for it.
        std::int64_t late_ns = 0;
        std::int64_t latest_ns = 0;
        std::uint64_t wakes = 0;
};

/// The rest of the life of a process, from when `desk` lets it begin. Of `program` it looks at
/// region, regions, speedup, label, class and job.
[[noreturn]] void work(Desk& desk, const simulation::Program& program, std::uint32_t cpus,
                       const std::string& governor);

}  // namespace bench
