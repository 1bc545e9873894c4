// SPDX-License-Identifier: MIT
//
// The search for the right work: coarse steps first, then one careful measurement.
#include "calibration.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace examples {
namespace {

/// `work` for a cost `ratio` times as large, by the load's power law.
std::uint64_t rescale(std::uint64_t work, double ratio, const Description& description) {
        const double exponent = 1.0 / static_cast<double>(description.cost_exponent);
        const double wanted = std::round(static_cast<double>(work) * std::pow(ratio, exponent));

        return static_cast<std::uint64_t>(
                std::clamp(wanted, 1.0, static_cast<double>(description.max_work)));
}

/// What others do to a core (caches, hyper-threads, stolen time) makes a region dearer, hardly
/// ever cheaper: the truth is near the lowest of several readings, but not the luckiest ones.
double quiet_cost(const RegionCost& cost, std::uint64_t work) {
        std::array<double, 15> readings{};

        for (auto& reading : readings)
                reading = cost(work);
        std::sort(readings.begin(), readings.end());
        return readings[2];
}

}  // namespace

std::uint64_t fit_work(const RegionCost& cost, std::uint64_t region_us,
                       const Description& description) {
        constexpr double kLongestProbeNs = 5e6;
        constexpr double kLargestStep = 100.0;  // the cost of tiny work is mostly overhead
        constexpr int kMostSteps = 12;
        const double target_ns = static_cast<double>(region_us) * 1e3;
        const double probe_ns = std::min(target_ns, kLongestProbeNs);
        std::uint64_t work = 1;

        for (int step = 0; step < kMostSteps; ++step) {
                const double ratio = std::min(probe_ns / cost(work), kLargestStep);

                work = rescale(work, ratio, description);
                if (ratio > 0.8 && ratio < 1.25)
                        break;
        }
        return rescale(work, target_ns / quiet_cost(cost, work), description);
}

}  // namespace examples
