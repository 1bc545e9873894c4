// SPDX-License-Identifier: MIT
// A moving average with hysteresis.
#include "evidence/short_lived.hpp"

#include "policy/numbers.hpp"

namespace governor::evidence {

namespace {

/// CPUs. Between a half, where an average at the border of two numbers goes to and fro, and one,
/// where the last CPU would stay.
constexpr double kFar = 0.75;

}  // namespace

void ShortLived::add(std::chrono::nanoseconds lifetime, std::chrono::nanoseconds cpu_time,
                     TimePoint now) {
        if (lifetime >= numbers::kShortLife)
                return;
        if (!lives_.empty() && now - lives_.back().begin < numbers::kKernelTick)
                lives_.back().add(cpu_time);
        else
                lives_.push_back({now, 1, cpu_time});
        programs_++;
        cpu_time_ += cpu_time;
}

void ShortLived::update(TimePoint now) {
        while (!lives_.empty() && lives_.front().begin + numbers::kMemory < now) {
                programs_ -= lives_.front().programs;
                cpu_time_ -= lives_.front().cpu_time;
                lives_.pop_front();
        }
        const auto average =
                is_stream() ? std::chrono::duration<double>(cpu_time_) / numbers::kMemory : 0;
        if (average > cpus_ + kFar || average < cpus_ - kFar)
                cpus_ = static_cast<std::uint32_t>(average + 0.5);
}

}  // namespace governor::evidence
