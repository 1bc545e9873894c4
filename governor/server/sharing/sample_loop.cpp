// SPDX-License-Identifier: MIT
// The sampling timer.
#include "server/sharing/sample_loop.hpp"

#include "server/journal/log.hpp"

#include <algorithm>
#include <cstring>
#include <ranges>
#include <utility>
#include <vector>

namespace governor::server {

namespace {

constexpr int kFreshPeriods = 3;

}  // namespace

SampleLoop::SampleLoop(EventLoop& loop, const std::string& root, std::chrono::milliseconds period,
                       std::function<void()> on_sample)
        : root_(root), on_sample_(std::move(on_sample)), period_(period), sampler_(root),
          next_(EventLoop::now()), timer_(loop.on_time(next_ + period, [this] {
                  if (take() && on_sample_)
                          on_sample_();
                  arm();
          })) {
        (void)take();
        arm();
}

void SampleLoop::set_period(std::chrono::milliseconds period) {
        if (period == period_)
                return;
        period_ = period;
        next_ = EventLoop::now();
        fresh_at_ = next_;
        arm();
}

/// Counts from the last due time, so that samples do not drift; due times in the past (the
/// machine was suspended) are skipped.
void SampleLoop::arm() {
        next_ += period_;
        if (next_ <= EventLoop::now())
                next_ = EventLoop::now() + period_;
        timer_.set_time(next_);
}

bool SampleLoop::take() {
        const auto outcome = sampler_.take(EventLoop::now(), period_);
        if (outcome == probe::Sampler::Outcome::Accepted) {
                fresh_at_ = EventLoop::now();
                follow_topology();
                return true;
        }
        report(outcome);
        return false;
}

void SampleLoop::report(probe::Sampler::Outcome outcome) {
        const auto count = problems_.allow(EventLoop::now());
        if (!count)
                return;
        const std::string why = outcome == probe::Sampler::Outcome::Unreadable
                                        ? std::strerror(sampler_.error())
                                        : "it is short or not of the expected form";
        log(Level::Warning, Event::SampleDiscarded,
            "sample of " + sampler_.path() + " discarded: " + why + since(*count, "samples"),
            {{"ERRNO", std::to_string(sampler_.error())}});
}

/// sysfs is read only when a CPU has come or gone.
void SampleLoop::follow_topology() {
        const auto& cpus = sampler_.sample().cpus;
        const auto same = [](const policy::CpuIdle& cpu, const auto& entry) {
                return cpu.cpu == entry.first;
        };
        if (std::ranges::equal(cpus, topology_, same))
                return;
        std::vector<std::uint32_t> numbers;
        for (const auto& cpu : cpus)
                numbers.push_back(cpu.cpu);
        if (!topology_.empty())
                log(Level::Info, Event::CpusChanged,
                    "online CPUs changed: " + std::to_string(topology_.size()) + " -> " +
                            std::to_string(numbers.size()));
        topology_ = probe::read_topology(root_, numbers);
}

bool SampleLoop::is_fresh() const {
        return EventLoop::now() - fresh_at_ <= kFreshPeriods * period_;
}

std::chrono::milliseconds SampleLoop::warm_in() const {
        return sampler_.warm_in(EventLoop::now(), period_);
}

}  // namespace governor::server
