// SPDX-License-Identifier: MIT
// A moving average with hysteresis.
#include "evidence/short_lived.hpp"

namespace governor::evidence {

void ShortLived::add(std::chrono::nanoseconds lifetime, std::chrono::nanoseconds cpu_time,
                     TimePoint now) {
        if (lifetime >= kLifetime)
                return;
        if (!lives_.empty() && now - lives_.back().begin < kGrain)
                lives_.back().cpu_time += cpu_time;
        else
                lives_.push_back({now, cpu_time});
        cpu_time_ += cpu_time;
}

void ShortLived::update(TimePoint now) {
        while (!lives_.empty() && lives_.front().begin + kWindow < now) {
                cpu_time_ -= lives_.front().cpu_time;
                lives_.pop_front();
        }
        const auto average = std::chrono::duration<double>(cpu_time_) / kWindow;
        constexpr double kFar = 0.75;
        if (average > cpus_ + kFar || average < cpus_ - kFar)
                cpus_ = static_cast<std::uint32_t>(average + 0.5);
}

}  // namespace governor::evidence
