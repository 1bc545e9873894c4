// SPDX-License-Identifier: MIT
// 300 tasks of 500 us beside a thread that never stops, on the first CPU: how much longer they take
// than a fair share of the CPUs allows.
#pragma once

#include "../support/crew.hpp"
#include "../support/options.hpp"
#include "../support/samples.hpp"

namespace peers {

/// Milliseconds from the first submission to the end of the last task.
template <typename Pool>
double makespan_ms(Pool& pool, std::size_t tasks, Nanoseconds length) {
        const std::uint64_t before = Slots::sum();
        const Nanoseconds begin = now();
        std::atomic<Nanoseconds> last{0};
        for (std::size_t index = 0; index < tasks; ++index) {
                pool.post([&last, length] {
                        burn(length);
                        const Nanoseconds ended = now();
                        for (Nanoseconds seen = last.load(); seen < ended;)
                                if (last.compare_exchange_weak(seen, ended))
                                        break;
                        Slots::count();
                });
        }
        Slots::await(before + tasks);
        return static_cast<double>(last.load() - begin) / 1e6;
}

/// The yardstick: bare threads that take turns from one counter.
inline double raw_makespan_ms(unsigned workers, std::size_t tasks, Nanoseconds length) {
        std::atomic<std::size_t> taken{0};
        const Nanoseconds begin = now();
        std::vector<std::jthread> threads;
        for (unsigned index = 0; index < workers; ++index) {
                threads.push_back(thread_on(cpu_of_worker(index), [&taken, tasks, length] {
                        while (taken.fetch_add(1) < tasks)
                                burn(length);
                }));
        }
        threads.clear();
        return static_cast<double>(now() - begin) / 1e6;
}

template <typename Pool>
void hog(const Options& options) {
        constexpr std::size_t TASKS = 300;
        constexpr Nanoseconds LENGTH = 500'000;
        constexpr double WORK_MS = TASKS * LENGTH / 1e6;
        std::atomic<bool> ending{false};
        const std::jthread glutton = thread_on(allowed_cpus().front(), [&ending] {
                while (!ending.load())
                        clobber_memory();
        });
        const double capacity = options.workers - 0.5;
        const double raw_ms = raw_makespan_ms(options.workers, TASKS, LENGTH);
        report("raw_over_fair_share", raw_ms / (WORK_MS / capacity));
        Crew<Pool> pool(options.workers);
        warm_up(*pool, options.workers);
        report("over_fair_share", makespan_ms(*pool, TASKS, LENGTH) / (WORK_MS / capacity));
        if constexpr (requires { pool->set_cpus(cpus_of_workers(1)); }) {
                pool->set_cpus(cpus_of_workers(options.workers - 1));
                const double ideal = WORK_MS / (options.workers - 1);
                report("masked_over_ideal", makespan_ms(*pool, TASKS, LENGTH) / ideal);
        }
        ending.store(true);
}

}  // namespace peers
