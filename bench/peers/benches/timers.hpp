// SPDX-License-Identifier: MIT
// A thousand tasks that are due within a second: the number that are early, how late the others
// are, and the cost of asking for one. A thread that sleeps until each in turn is measured beside
// them.
#pragma once

#include "../support/crew.hpp"
#include "../support/options.hpp"
#include "../support/samples.hpp"

#include <chrono>
#include <random>
#include <sys/prctl.h>

namespace peers {

inline std::vector<Nanoseconds> random_delays(std::size_t count) {
        std::mt19937 random(2026);
        std::uniform_int_distribution<Nanoseconds> delay(2'000'000, 1'000'000'000);
        std::vector<Nanoseconds> delays(count);
        for (Nanoseconds& value : delays)
                value = delay(random);
        return delays;
}

inline void report_raw_sleeps(const std::string& name, std::vector<Nanoseconds> delays,
                              unsigned long slack_ns) {
        std::sort(delays.begin(), delays.end());
        Samples late;
        thread_on(cpu_of_worker(0), [&] {
                prctl(PR_SET_TIMERSLACK, slack_ns);
                const Nanoseconds begin = now();
                for (const Nanoseconds delay : delays) {
                        sleep_until(begin + delay);
                        late.add(static_cast<double>(now() - begin - delay) / 1000);
                }
        }).join();
        report(name + "_late_p50_us", late.median());
        report(name + "_late_p99_us", late.quantile(0.99));
}

struct Due {
        Nanoseconds time = 0;
        Nanoseconds ran = 0;
};

/// Nanoseconds that asking for one takes; all have run when it returns.
template <typename Pool>
double run_timers(Pool& pool, const std::vector<Nanoseconds>& delays, std::vector<Due>& dues) {
        const std::uint64_t before = Slots::sum();
        const Nanoseconds begin = now();
        for (std::size_t index = 0; index < delays.size(); ++index) {
                Due& due = dues[index];
                due.time = now() + delays[index];
                pool.post_after(std::chrono::nanoseconds(delays[index]), [&due] {
                        due.ran = now();
                        Slots::count();
                });
        }
        const Nanoseconds asked = now() - begin;
        Slots::await(before + delays.size());
        return static_cast<double>(asked) / static_cast<double>(delays.size());
}

inline void report_dues(const std::vector<Due>& dues) {
        Samples late(dues.size());
        double early = 0;
        for (const Due& due : dues) {
                late.add(static_cast<double>(due.ran - due.time) / 1000);
                early += due.ran < due.time ? 1 : 0;
        }
        report("early", early);
        report("late_p50_us", late.median());
        report("late_p99_us", late.quantile(0.99));
}

template <typename Pool>
void timers(const Options& options) {
        const std::vector<Nanoseconds> delays = random_delays(1000);
        report_raw_sleeps("raw", delays, 0);
        report_raw_sleeps("raw_no_slack", delays, 1);
        std::vector<Due> dues(delays.size());
        Crew<Pool> pool(options.workers);
        warm_up(*pool, options.workers);
        report("add_ns", run_timers(*pool, delays, dues));
        report_dues(dues);
}

}  // namespace peers
