// SPDX-License-Identifier: MIT
// Differences of counters over at least a second.
#include "simulation/world/counters.hpp"

#include "policy/permyriad.hpp"

#include <algorithm>
#include <cmath>

namespace simulation {

namespace {

constexpr Time kShortestWindow = std::chrono::seconds(1);

double seconds(Time span) { return std::chrono::duration<double>(span).count(); }

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
        const double passed_s = seconds(span);
        yielding_s_ += yielding * passed_s;
        for (std::size_t cpu = 0; cpu < busy.size(); cpu++) {
                busy_s_[cpu] += busy[cpu] * passed_s;
                niced_s_[cpu] += cpu < niced.size() ? niced[cpu] * passed_s : 0;
        }
}

const governor::policy::Sample& Counters::read(const CpuMask& online, Time now, Time period) {
        const auto window = std::max(period, kShortestWindow);
        if (readings_.empty())
                readings_.push_back({now - window, online, {}, {}, 0});
        readings_.push_back({now, online, busy_s_, niced_s_, yielding_s_});
        while (readings_.size() > 2 && now - readings_[1].at >= window * 9 / 10)
                readings_.pop_front();

        const auto& from = readings_.front();
        const double elapsed_s = seconds(now - from.at);
        yielding_millicpu_ = static_cast<std::uint32_t>(
                std::lround((yielding_s_ - from.yielding_s) / elapsed_s * 1000));
        sample_.warming_up = false;
        sample_.cpus.clear();
        online.for_each([&](std::uint32_t cpu) {
                governor::policy::CpuIdle idle{cpu, {}, 0};
                if (from.online.contains(cpu)) {
                        const double busy_s = at(busy_s_, cpu) - at(from.busy_s, cpu);
                        const double niced_s = at(niced_s_, cpu) - at(from.niced_s, cpu);
                        idle.idle_permyriad = permyriad(elapsed_s - busy_s, elapsed_s);
                        idle.nice_permyriad = permyriad(niced_s, elapsed_s);
                }
                sample_.cpus.push_back(idle);
        });
        return sample_;
}

}  // namespace simulation
