// SPDX-License-Identifier: MIT
//
// Keeps the picture of the machine up to date: a sample per period.
#pragma once

#include "policy/sample.hpp"
#include "probe/sampler.hpp"
#include "probe/topology.hpp"
#include "server/journal/throttle.hpp"
#include "server/kernel/event_loop.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace governor::server {

class SampleLoop {
public:
        /// `root` as for probe::Sampler. Takes the first sample at once; the others when `loop`
        /// runs, and then calls `on_sample` for each that is usable. `loop` must outlive this.
        SampleLoop(EventLoop& loop, const std::string& root, std::chrono::milliseconds period,
                   std::function<void()> on_sample = {});

        /// Takes effect now: the next sample comes one period from here.
        void set_period(std::chrono::milliseconds period);

        /// See probe::Sampler.
        [[nodiscard]] const policy::Sample* tick() { return sampler_.tick(EventLoop::now()); }

        /// False if no reading of /proc/stat was ever usable; sampler() says more.
        [[nodiscard]] bool has_sample() const { return sampler_.accepted() > 0; }

        /// The last usable reading is at most three periods old.
        [[nodiscard]] bool is_fresh() const;

        [[nodiscard]] const probe::Sampler& sampler() const { return sampler_; }
        [[nodiscard]] const probe::Topology& topology() const { return topology_; }
        [[nodiscard]] std::chrono::milliseconds warm_in() const;

private:
        bool take();
        void arm();
        void report(probe::Sampler::Outcome outcome);
        void follow_topology();

        std::string root_;
        std::function<void()> on_sample_;
        std::chrono::milliseconds period_;
        probe::Sampler sampler_;
        probe::Topology topology_;
        Throttle problems_;
        TimePoint next_;
        TimePoint fresh_at_;
        EventSource timer_;
};

}  // namespace governor::server
