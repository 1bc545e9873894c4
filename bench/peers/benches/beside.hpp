// SPDX-License-Identifier: MIT
// One task per millisecond beside a thread that never stops, on the CPU of worker 0: how long until
// each runs. The thread is one like others, or one of SCHED_FIFO, which the kernel stops for 50 ms
// a second.
#pragma once

#include "../support/crew.hpp"
#include "../support/options.hpp"
#include "../support/samples.hpp"

namespace peers {

class Glutton {
public:
        /// `is_wanted` may become true later; the thread is there from the start.
        explicit Glutton(int policy)
                : thread_(thread_on(cpu_of_worker(0), [this, policy] {
                          const sched_param priority{policy == SCHED_FIFO ? 1 : 0};
                          may_ = sched_setscheduler(0, policy, &priority) == 0;
                          knows_ = true;
                          knows_.notify_all();
                          wanted_.wait(false);
                          while (!ending_.load())
                                  clobber_memory();
                  })) {
                knows_.wait(false);
        }
        ~Glutton() {
                ending_ = true;
                begin();
        }
        Glutton(const Glutton&) = delete;
        Glutton& operator=(const Glutton&) = delete;

        /// False: this process may not have such a thread.
        bool may() const { return may_; }
        void begin() {
                wanted_ = true;
                wanted_.notify_all();
        }

private:
        bool may_ = false;
        std::atomic<bool> knows_{false};
        std::atomic<bool> wanted_{false};
        std::atomic<bool> ending_{false};
        std::jthread thread_;
};

/// Microseconds from the submission of each task until it runs.
template <typename Pool>
Samples time_tasks(Pool& pool, std::size_t tasks) {
        std::vector<std::atomic<Nanoseconds>> took(tasks);
        const std::uint64_t before = Slots::sum();
        Nanoseconds next = now();
        for (auto& its : took) {
                sleep_until(next += 1'000'000);
                pool.post([&its, asked = now()] {
                        its.store(now() - asked);
                        Slots::count();
                });
        }
        Slots::await(before + tasks);
        Samples samples(tasks);
        for (const auto& its : took)
                samples.add(static_cast<double>(its.load()) / 1000);
        return samples;
}

template <typename Pool>
void beside(const Options& options) {
        const std::size_t tasks = options.scaled(1'500, 300);
        for (const auto& [name, policy] :
             {std::pair{"other", SCHED_OTHER}, std::pair{"fifo", SCHED_FIFO}}) {
                Glutton glutton(policy);
                if (!glutton.may())
                        continue;
                Crew<Pool> pool(options.workers);
                warm_up(*pool, options.workers);
                glutton.begin();
                const Samples samples = time_tasks(*pool, tasks);
                report(std::string(name) + "_p50_us", samples.median());
                report(std::string(name) + "_p99_us", samples.quantile(0.99));
        }
}

}  // namespace peers
