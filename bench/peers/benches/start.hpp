// SPDX-License-Identifier: MIT
// From nothing to the first task that runs, and back to nothing.
#pragma once

#include "../support/crew.hpp"
#include "../support/options.hpp"
#include "../support/samples.hpp"

#include <sched.h>

namespace peers {

template <typename Pool>
void post_to(Pool& pool, std::atomic<bool>& ran) {
        pool.post([&ran] { ran.store(true); });
}

template <typename Pool>
void post_to(Crew<Pool>& pool, std::atomic<bool>& ran) {
        post_to(*pool, ran);
}

/// Measures the starts of a Pool, or a Crew with one.
template <typename Owner>
void measure_starts(unsigned workers) {
        constexpr int TURNS = 21;
        Samples starts;
        Samples stops;
        for (int turn = 0; turn < TURNS; ++turn) {
                std::atomic<bool> ran{false};
                const Nanoseconds begin = now();
                auto pool = std::make_unique<Owner>(workers);
                post_to(*pool, ran);
                while (!ran.load())
                        sched_yield();
                const Nanoseconds running = now();
                pool.reset();
                const Nanoseconds stopped = now();
                if (turn == 0)
                        continue;
                starts.add(static_cast<double>(running - begin) / 1000);
                stops.add(static_cast<double>(stopped - running) / 1000);
        }
        report("start_us", starts.median());
        report("stop_us", stops.median());
}

/// Threads are pinned when they are born, as in all other benchmarks.
template <typename Pool>
void start(const Options& options) {
        measure_starts<Crew<Pool>>(options.workers);
}

/// Nothing is pinned but by the pool itself.
template <typename Pool>
void start_free(const Options& options) {
        unpin_this_thread();
        measure_starts<Pool>(options.workers);
}

}  // namespace peers
