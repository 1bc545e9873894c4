// SPDX-License-Identifier: MIT
// The cost of one empty task that a thread outside of the pool submits.
#pragma once

#include "../support/crew.hpp"
#include "../support/options.hpp"
#include "../support/samples.hpp"

namespace peers {

template <typename Pool>
void submit_tasks(Pool& pool, std::size_t tasks) {
        const std::uint64_t before = Slots::sum();
        for (std::size_t index = 0; index < tasks; ++index)
                pool.post([] { Slots::count(); });
        Slots::await(before + tasks);
}

template <typename Pool>
void submit(const Options& options) {
        const std::size_t tasks = options.scaled(1'000'000);
        Crew<Pool> pool(options.workers);
        warm_up(*pool, options.workers);
        submit_tasks(*pool, tasks / 20);
        const Nanoseconds begin = now();
        submit_tasks(*pool, tasks);
        report("ns_per_task", static_cast<double>(now() - begin) / static_cast<double>(tasks));
}

}  // namespace peers
