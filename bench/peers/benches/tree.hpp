// SPDX-License-Identifier: MIT
// The cost of one task where each posts two more from inside of the pool.
#pragma once

#include "../support/crew.hpp"
#include "../support/options.hpp"
#include "../support/samples.hpp"

namespace peers {

template <typename Pool>
void grow(Pool& pool, unsigned height) {
        if (height > 1) {
                post_inside(pool, [&pool, height] { grow(pool, height - 1); });
                post_inside(pool, [&pool, height] { grow(pool, height - 1); });
        }
        Slots::count();
}

template <typename Pool>
void grow_tree(Pool& pool, unsigned height) {
        const std::uint64_t before = Slots::sum();
        pool.post([&pool, height] { grow(pool, height); });
        Slots::await(before + (1ULL << height) - 1);
}

template <typename Pool, typename... Bound>
void measure_tree(const Options& options, Bound... bound) {
        const unsigned height = options.scale < 1 ? 16 : 19;
        Crew<Pool> pool(options.workers, bound...);
        warm_up(*pool, options.workers);
        grow_tree(*pool, 12);
        const Nanoseconds begin = now();
        grow_tree(*pool, height);
        const auto tasks = static_cast<double>((1ULL << height) - 1);
        report("ns_per_task", static_cast<double>(now() - begin) / tasks);
}

template <typename Pool>
void tree(const Options& options) {
        measure_tree<Pool>(options);
}

/// The pool holds 1024 tasks and no more, and all posters are its own workers.
template <typename Pool>
void full_tree(const Options& options) {
        measure_tree<Pool>(options, std::size_t{1024});
}

}  // namespace peers
