// SPDX-License-Identifier: MIT
// The cost of a pool in the two seconds after it has had its last task.
#pragma once

#include "../support/processes.hpp"
#include "submit.hpp"

namespace peers {

template <typename Pool>
void idle(const Options& options) {
        Crew<Pool> pool(options.workers);
        warm_up(*pool, options.workers);
        submit_tasks(*pool, 1000);
        const ThreadCosts before = costs_of_others();
        sleep_for(2'000'000'000);
        const ThreadCosts after = costs_of_others();
        report("switches", after.switches - before.switches);
        report("cpu_ms", (after.cpu_ns - before.cpu_ns) / 1e6);
}

}  // namespace peers
