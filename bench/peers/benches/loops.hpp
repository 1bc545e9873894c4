// SPDX-License-Identifier: MIT
// The cost of a parallel loop over an array: a[i] += 1, two threads altogether.
#pragma once

#include "../support/crew.hpp"
#include "../support/options.hpp"
#include "../support/samples.hpp"

#include <numeric>

namespace peers {

/// Microseconds of one call, median of `calls`.
template <typename Loop>
double time_loop(Loop& loop, std::size_t calls) {
        Samples samples(calls);
        for (std::size_t call = 0; call < calls / 10 + 2; ++call)
                loop();
        for (std::size_t call = 0; call < calls; ++call) {
                const Nanoseconds begin = now();
                loop();
                clobber_memory();
                samples.add(static_cast<double>(now() - begin) / 1000);
        }
        return samples.median();
}

/// Ends the program where a turn was lost or done twice.
inline void check_values(const std::vector<float>& values) {
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        if (*low == *high)
                return;
        std::fprintf(stderr, "the loop's results are wrong\n");
        std::exit(1);
}

template <typename Pool>
void time_loops(Pool& pool, const Options& options, const std::string& size, std::size_t count,
                std::size_t calls) {
        std::vector<float> values(count, 0.0F);
        const auto body = [data = values.data()](std::size_t first, std::size_t last) {
                for (std::size_t index = first; index < last; ++index)
                        data[index] += 1;
        };
        if constexpr (requires { pool.static_loop(count, body); }) {
                auto loop = pool.static_loop(count, body);
                report("static_" + size + "_us", time_loop(loop, options.scaled(calls)));
                check_values(values);
        }
        if constexpr (requires { pool.dynamic_loop(count, body); }) {
                auto loop = pool.dynamic_loop(count, body);
                report("dynamic_" + size + "_us", time_loop(loop, options.scaled(calls)));
                check_values(values);
        }
}

template <typename Pool>
void loops(const Options& options) {
        Crew<Pool> pool(caller_helps<Pool>() ? options.workers - 1 : options.workers);
        time_loops(*pool, options, "1k", 1'000, 20'000);
        time_loops(*pool, options, "100k", 100'000, 5'000);
        time_loops(*pool, options, "10M", 10'000'000, 50);
}

}  // namespace peers
