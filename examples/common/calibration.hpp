// SPDX-License-Identifier: MIT
//
// Finds the work that takes a wanted time on one core.
#pragma once

#include <cstdint>
#include <functional>

#include "clock.hpp"
#include "options.hpp"

namespace examples {

/// CPU time in ns of one region with that much work, on one core.
using RegionCost = std::function<double(std::uint64_t work)>;

/// The work in 1..max_work whose region costs about `region_us`. Measures regions of at
/// most 5 ms and extrapolates longer ones by the load's cost_exponent.
[[nodiscard]] std::uint64_t fit_work(const RegionCost& cost, std::uint64_t region_us,
                                     const Description& description);

/// One region's mean over at least two milliseconds of CPU time, serially in this thread.
template <typename Load>
double measure_serial_ns(Load& load, std::uint64_t work) {
        constexpr double kLongEnoughNs = 2e6;
        std::uint64_t regions = 0;
        double spent_ns = 0;

        load.prepare(work);
        const double begin_ns = thread_cpu_ns();
        // Doubling keeps the clock, a system call, out of the cost of tiny regions.
        for (std::uint64_t batch = 1; spent_ns < kLongEnoughNs; batch *= 2) {
                for (std::uint64_t i = 0; i < batch; ++i)
                        load.serial();
                regions += batch;
                spent_ns = thread_cpu_ns() - begin_ns;
        }
        return spent_ns / static_cast<double>(regions);
}

/// Runs no OpenMP region, so that the runtime has started no threads afterwards.
template <typename Load>
std::uint64_t calibrate(Load& load, std::uint64_t region_us) {
        return fit_work([&load](std::uint64_t work) { return measure_serial_ns(load, work); },
                        region_us, Load::kDescription);
}

}  // namespace examples
