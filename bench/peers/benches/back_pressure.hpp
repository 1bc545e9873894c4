// SPDX-License-Identifier: MIT
// A pool that is full: how many tasks it takes, and what a submitter costs that it keeps waiting.
#pragma once

#include "memory.hpp"

namespace peers {

/// CPU time, in per cent of a second, of a thread that submits to a full pool.
template <typename Pool>
double blocked_submitter_percent(Pool& pool) {
        std::atomic<clockid_t> clock{0};
        const std::jthread submitter = thread_on(allowed_cpus().front(), [&] {
                clockid_t mine = 0;
                pthread_getcpuclockid(pthread_self(), &mine);
                clock.store(mine);
                pool.post(Payload{});
        });
        while (clock.load() == 0)
                sleep_for(1'000'000);
        sleep_for(10'000'000);
        const Nanoseconds before = read_clock(clock.load());
        sleep_for(1'000'000'000);
        const Nanoseconds used = read_clock(clock.load()) - before;
        return static_cast<double>(used) / 1e7;
}

template <typename Pool>
void back_pressure(const Options& options) {
        constexpr std::size_t CAPACITY = 1000;
        Crew<Pool> pool(options.workers, CAPACITY);
        const std::uint64_t counted = Slots::sum();
        auto blocked = std::make_unique<BlockedWorkers<Pool>>(*pool, options.workers);
        std::size_t taken = 0;
        while (taken < 10 * CAPACITY && pool->try_post(Payload{}))
                ++taken;
        report("capacity_error", static_cast<double>(taken) - static_cast<double>(CAPACITY));
        // The submitter is joined only after the workers are free again.
        std::jthread freeing([&blocked] {
                sleep_for(1'500'000'000);
                blocked->release();
        });
        report("blocked_cpu_percent", blocked_submitter_percent(*pool));
        freeing.join();
        Slots::await(counted + taken + 1);
}

}  // namespace peers
