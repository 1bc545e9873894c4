// SPDX-License-Identifier: MIT
//
// Counts the CPUs that short-lived programs need: they are gone again before anybody makes room for
// them.
#pragma once

#include "evidence/foreign_load.hpp"
#include "policy/numbers.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace governor::evidence {

using policy::TimePoint;

/// A build starts a program every 50 ms. None of them lives long enough to make a neighbour shrink,
/// but together they always disturb some of its threads. The daemon therefore keeps as many CPUs
/// free for newcomers as they kept busy on average over kMemory, where they are a stream. Counts
/// for one account. Pure: time is an argument.
class ShortLived {
public:
        /// A client is gone that lived for `lifetime` and used `cpu_time`. One that was killed
        /// before anybody could read its clock may count with 0: it is one of a stream all the
        /// same.
        void add(std::chrono::nanoseconds lifetime, std::chrono::nanoseconds cpu_time,
                 TimePoint now);

        /// Takes note of the time, once per sample. O(kMemory / kKernelTick).
        void update(TimePoint now);

        /// CPUs, as of the last update(). Changes when the average is 3/4 of a CPU away from it.
        [[nodiscard]] std::uint32_t cpus() const { return cpus_; }
        /// kStream of them are known, as of the last update().
        [[nodiscard]] bool is_stream() const { return programs_ >= numbers::kStream; }
        /// Nothing is known any more, as of the last update().
        [[nodiscard]] bool empty() const { return lives_.empty() && cpus_ == 0; }

private:
        /// Lives that ended from then on, for kKernelTick: they are remembered as one.
        struct Lives {
                TimePoint begin;
                std::size_t programs;
                std::chrono::nanoseconds cpu_time;

                void add(std::chrono::nanoseconds of_one) {
                        programs++;
                        cpu_time += of_one;
                }
        };

        std::deque<Lives> lives_;               // oldest first
        std::size_t programs_ = 0;              // of all lives_
        std::chrono::nanoseconds cpu_time_{0};  // likewise
        std::uint32_t cpus_ = 0;
};

}  // namespace governor::evidence
