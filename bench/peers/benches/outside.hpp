// SPDX-License-Identifier: MIT
// Tasks from outside beside tasks of 1 ms that submit themselves again, two for each worker. The
// times until one of those from outside has run, and until a hundred have.
#pragma once

#include "../support/crew.hpp"
#include "../support/options.hpp"
#include "../support/samples.hpp"

#include <atomic>
#include <cstddef>

namespace peers {

/// Keeps all workers of a pool at work from inside.
template <typename Pool>
class InnerWork {
public:
        InnerWork(Pool& pool, unsigned chains) : pool_(pool), chains_(chains) {
                for (unsigned chain = 0; chain < chains; ++chain)
                        pool_.post([this] { run(); });
        }
        ~InnerWork() {
                is_over_ = true;
                while (ended_.load() < chains_)
                        sleep_for(20'000);
        }
        InnerWork(const InnerWork&) = delete;
        InnerWork& operator=(const InnerWork&) = delete;

private:
        void run() {
                for (const Nanoseconds until = now() + 1'000'000; now() < until;)
                        clobber_memory();
                if (is_over_.load())
                        ended_.fetch_add(1);
                else
                        post_inside(pool_, [this] { run(); });
        }

        Pool& pool_;
        const unsigned chains_;
        std::atomic<bool> is_over_{false};
        std::atomic<unsigned> ended_{0};
};

/// Nanoseconds until so many tasks from outside have run, or `most`.
template <typename Pool>
Nanoseconds time_outside(Pool& pool, std::size_t tasks, std::atomic<std::size_t>& ran,
                         Nanoseconds most) {
        const std::size_t end = ran.load() + tasks;
        const Nanoseconds begin = now();
        for (std::size_t task = 0; task < tasks; ++task)
                pool.post([&ran] { ran.fetch_add(1); });
        while (ran.load() < end && now() < begin + most)
                sleep_for(20'000);
        return std::min(now() - begin, most);
}

template <typename Pool>
void outside(const Options& options) {
        constexpr Nanoseconds MOST = 2'000'000'000;
        constexpr unsigned CHAINS = 2;  // for each worker
        std::atomic<std::size_t> ran{0};
        Crew<Pool> pool(options.workers);
        warm_up(*pool, options.workers);
        const InnerWork work(*pool, CHAINS * options.workers);
        sleep_for(20'000'000);
        Samples single;
        for (std::size_t sample = 0; sample < options.scaled(50, 15) && ran.load() == sample;
             ++sample)
                single.add(static_cast<double>(time_outside(*pool, 1, ran, MOST)) / 1000);
        report("one_p50_us", single.median());
        report("hundred_ms", static_cast<double>(time_outside(*pool, 100, ran, MOST)) / 1e6);
}

}  // namespace peers
