// SPDX-License-Identifier: MIT
//
// The program that the demonstration runs: parallel regions, one after the other, as a loop of
// OpenMP has them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <threadcount/threadcount.h>

namespace ctl::demo {

struct Work {
        std::uint32_t threads = 1;  ///< that a region has ungoverned, 1 .. 255
        std::uint64_t regions = 0;
        std::uint64_t steps = 0;  ///< of one region, whatever its team
};

/// Steps of one thread in so much time of a CPU that is free. Takes a tenth of a second.
[[nodiscard]] std::uint64_t steps_in(std::chrono::nanoseconds time);

/// Does the work and counts the regions in `done`. With a governor it asks for each team, else
/// (nullptr) each has all threads. For a process of its own: its threads live as long as that.
void perform(const Work& work, threadcount_handle* governor, std::atomic<std::uint64_t>& done);

}  // namespace ctl::demo
