// SPDX-License-Identifier: MIT
// Differences of counters over at least a second.
#include "simulation/world/counters.hpp"

#include "policy/permyriad.hpp"

#include <algorithm>
#include <cmath>

namespace simulation {

namespace {

constexpr Time kShortestWindow = std::chrono::seconds(1);
constexpr Time kTickWindow = std::chrono::milliseconds(200);

std::uint32_t permyriad(double part, double whole) {
        const double ratio = whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0.0;
        return static_cast<std::uint32_t>(std::lround(ratio * governor::policy::kPermyriad));
}

double at(const std::vector<double>& values, std::uint32_t cpu) {
        return cpu < values.size() ? values[cpu] : 0.0;
}

}  // namespace

void Counters::advance(Time span, std::span<const double> busy, std::span<const double> niced,
                       double yielding) {
        if (busy_s_.size() < busy.size()) {
                busy_s_.resize(busy.size());
                niced_s_.resize(busy.size());
        }
        const double passed_s = in_seconds(span);
        yielding_s_ += yielding * passed_s;
        for (std::size_t cpu = 0; cpu < busy.size(); cpu++) {
                busy_s_[cpu] += busy[cpu] * passed_s;
                niced_s_[cpu] += cpu < niced.size() ? niced[cpu] * passed_s : 0;
        }
}

const governor::policy::Sample& Counters::read(const CpuMask& online, Time now, Time period) {
        look(samples_, online, now, std::max(period, kShortestWindow));
        const auto& from = samples_.readings.front();
        yielding_millicpu_ = static_cast<std::uint32_t>(
                std::lround((yielding_s_ - from.yielding_s) / in_seconds(now - from.at) * 1000));
        return samples_.sample;
}

const governor::policy::Sample& Counters::tick(const CpuMask& online, Time now) {
        look(ticks_, online, now, kTickWindow);
        return ticks_.sample;
}

void Counters::look(Window& window, const CpuMask& online, Time now, Time shortest) {
        auto& readings = window.readings;
        auto& sample = window.sample;
        if (readings.empty())
                readings.push_back({-shortest, online, {}, {}, 0});
        readings.push_back({now, online, busy_s_, niced_s_, yielding_s_});
        while (readings.size() > 2 && now - readings[1].at >= shortest * 9 / 10)
                readings.pop_front();

        const auto& from = readings.front();
        const double elapsed_s = in_seconds(now - from.at);
        sample.warming_up = false;
        sample.cpus.clear();
        online.for_each([&](std::uint32_t cpu) {
                governor::policy::CpuIdle idle{cpu, {}, 0};
                if (from.online.contains(cpu)) {
                        const double busy_s = at(busy_s_, cpu) - at(from.busy_s, cpu);
                        const double niced_s = at(niced_s_, cpu) - at(from.niced_s, cpu);
                        idle.idle_permyriad = permyriad(elapsed_s - busy_s, elapsed_s);
                        idle.nice_permyriad = permyriad(niced_s, elapsed_s);
                }
                sample.cpus.push_back(idle);
        });
}

}  // namespace simulation
