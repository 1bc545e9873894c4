// SPDX-License-Identifier: MIT
// Pi by the formula of Bailey, Borwein and Plouffe: 1001 terms, each a task with a future. Terms
// take 8 us altogether, so that it shows what futures cost.
#pragma once

#include "../support/crew.hpp"
#include "../support/options.hpp"
#include "../support/samples.hpp"

#include <cmath>
#include <numbers>

namespace peers {

inline double term(int k) {
        const double eight_k = 8.0 * k;
        const double sum =
                4 / (eight_k + 1) - 2 / (eight_k + 4) - 1 / (eight_k + 5) - 1 / (eight_k + 6);
        return std::ldexp(sum, -4 * k);
}

template <typename Pool>
double sum_of_terms(Pool& pool) {
        constexpr int TERMS = 1001;
        const auto task_of = [](int k) { return [k] { return term(k); }; };
        std::vector<decltype(pool.async(task_of(0)))> futures;
        futures.reserve(TERMS);
        for (int k = 0; k < TERMS; ++k)
                futures.push_back(pool.async(task_of(k)));
        double sum = 0;
        for (auto& future : futures)
                sum += future.get();
        return sum;
}

template <typename Pool>
void terms(const Options& options) {
        const std::size_t turns = options.scaled(200);
        Crew<Pool> pool(options.workers);
        warm_up(*pool, options.workers);
        Samples samples(turns);
        for (std::size_t turn = 0; turn < turns + turns / 10; ++turn) {
                const Nanoseconds begin = now();
                const double pi = sum_of_terms(*pool);
                if (turn >= turns / 10)
                        samples.add(static_cast<double>(now() - begin) / 1000);
                if (std::abs(pi - std::numbers::pi) < 1e-12)
                        continue;
                std::fprintf(stderr, "pi is wrong: %.17g\n", pi);
                std::exit(1);
        }
        report("run_us", samples.median());
}

}  // namespace peers
