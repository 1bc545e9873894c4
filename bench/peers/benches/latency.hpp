// SPDX-License-Identifier: MIT
// The time from a submission until the task runs in a worker that slept, and the time for which the
// submitter is kept. A raw futex in the same process is measured beside it, in turns.
#pragma once

#include "../support/crew.hpp"
#include "../support/options.hpp"
#include "../support/raw_waiter.hpp"

namespace peers {

class WakeSamples {
public:
        void add(const Wake& wake) {
                latency_.add(static_cast<double>(wake.running - wake.asked) / 1000);
                call_.add(static_cast<double>(wake.returned - wake.asked) / 1000);
        }

        void report_as(const std::string& name) const {
                report(name + "_p50_us", latency_.median());
                report(name + "_p99_us", latency_.quantile(0.99));
                report(name + "_call_p50_us", call_.median());
        }

private:
        Samples latency_;
        Samples call_;
};

/// Submits one task and waits, spinning, until it runs.
template <typename Pool>
Wake wake_worker(Pool& pool) {
        std::atomic<Nanoseconds> running{0};
        Wake wake;
        wake.asked = now();
        pool.post([&running] { running.store(now()); });
        wake.returned = now();
        while ((wake.running = running.load()) == 0) {
        }
        return wake;
}

template <typename Pool>
void measure_wakes(Pool& pool, RawWaiter& raw, const std::string& name, Nanoseconds gap,
                   std::size_t blocks) {
        constexpr int BLOCK = 10;
        WakeSamples ours;
        WakeSamples yardstick;
        for (std::size_t block = 0; block < blocks; ++block) {
                for (int turn = 0; turn < BLOCK; ++turn) {
                        sleep_for(gap);
                        yardstick.add(raw.wake());
                }
                for (int turn = 0; turn < BLOCK; ++turn) {
                        sleep_for(gap);
                        ours.add(wake_worker(pool));
                }
        }
        ours.report_as("wake_" + name);
        yardstick.report_as("raw_" + name);
}

template <typename Pool>
void latency(const Options& options) {
        RawWaiter raw(cpu_of_worker(0));
        Crew<Pool> pool(options.workers);
        warm_up(*pool, options.workers);
        measure_wakes(*pool, raw, "1ms", 1'000'000, options.scaled(40, 4));
        measure_wakes(*pool, raw, "10ms", 10'000'000, options.scaled(10, 2));
}

}  // namespace peers
