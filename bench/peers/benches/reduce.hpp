// SPDX-License-Identifier: MIT
// The cost of the sum of an array of doubles, two threads altogether. Ours and oneTBB's are the
// same bit for bit each time.
#pragma once

#include "../support/crew.hpp"
#include "../support/options.hpp"
#include "../support/samples.hpp"
#include "loops.hpp"

namespace peers {

template <typename Pool>
void time_sum(Pool& pool, const Options& options, const std::string& size, std::size_t count,
              std::size_t calls) {
        const std::vector<double> values(count, 0.5);
        double sum = 0;
        auto add_up = [&] {
                sum = pool.sum(count, [data = values.data()](std::size_t first, std::size_t last) {
                        return std::accumulate(data + first, data + last, 0.0);
                });
        };
        report("sum_" + size + "_us", time_loop(add_up, options.scaled(calls)));
        if (sum == 0.5 * static_cast<double>(count))
                return;
        std::fprintf(stderr, "the sum is wrong\n");
        std::exit(1);
}

template <typename Pool>
void reduce(const Options& options) {
        Crew<Pool> pool(caller_helps<Pool>() ? options.workers - 1 : options.workers);
        time_sum(*pool, options, "1k", 1'000, 20'000);
        time_sum(*pool, options, "100k", 100'000, 2'000);
        time_sum(*pool, options, "10M", 10'000'000, 50);
}

}  // namespace peers
