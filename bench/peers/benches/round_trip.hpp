// SPDX-License-Identifier: MIT
// The round trip to a worker that is awake. The caller asks for a future and waits for it, one
// after the other without a pause. The same is measured without a future; no waiter can run such a
// task itself.
#pragma once

#include "../support/crew.hpp"
#include "../support/options.hpp"
#include "../support/samples.hpp"

namespace peers {

/// The number of calls of the kernel in which a pool woke somebody; below 0 where it does not tell.
template <typename Pool>
double count_wakes(Pool& pool) {
        if constexpr (requires { pool.wakes(); })
                return static_cast<double>(pool.wakes());
        else
                return -1;
}

/// Ends after three seconds, whatever was done by then. A stall took 50 ms or more: nobody was
/// woken. The first tenth finds no worker awake, and is not counted.
template <typename Pool, typename Trip>
void measure_trips(Pool& pool, const std::string& name, std::size_t trips, Trip trip) {
        Samples samples(trips);
        double stalls = 0;
        double wakes = 0;
        const Nanoseconds deadline = now() + 3'000'000'000;
        for (std::size_t index = 0; index < trips + trips / 10; ++index) {
                if (index == trips / 10)
                        wakes = count_wakes(pool);
                const Nanoseconds begin = now();
                trip();
                const Nanoseconds end = now();
                stalls += end - begin >= 50'000'000 ? 1 : 0;
                if (index >= trips / 10)
                        samples.add(static_cast<double>(end - begin));
                if (end >= deadline)
                        break;
        }
        report(name + "_p50_ns", samples.median());
        report(name + "_p99.9_ns", samples.quantile(0.999));
        report(name + "_stalls", stalls);
        if (wakes >= 0)
                report(name + "_wakes", count_wakes(pool) - wakes);
}

/// The share of futures whose task ran in the thread that waited for it.
template <typename Pool>
double share_in_caller(Pool& pool) {
        constexpr int TRIPS = 1000;
        int in_caller = 0;
        for (int trip = 0; trip < TRIPS; ++trip) {
                const Slot* mine = &Slots::mine();
                in_caller += pool.async([mine] { return &Slots::mine() == mine ? 1 : 0; }).get();
        }
        return static_cast<double>(in_caller) / TRIPS;
}

template <typename Pool>
void round_trip(const Options& options) {
        const std::size_t trips = options.scaled(50'000);
        Crew<Pool> pool(options.workers);
        warm_up(*pool, options.workers);
        measure_trips(*pool, "round_trip", trips, [&] { pool->async([] { return 1; }).get(); });
        report("ran_in_caller", share_in_caller(*pool));
}

template <typename Pool>
void ping(const Options& options) {
        Crew<Pool> pool(options.workers);
        warm_up(*pool, options.workers);
        measure_trips(*pool, "ping", options.scaled(50'000), [&pool] {
                std::atomic<bool> ran{false};
                pool->post([&ran] { ran.store(true); });
                while (!ran.load()) {
                }
        });
}

}  // namespace peers
