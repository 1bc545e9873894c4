// SPDX-License-Identifier: MIT
// The cost of a future: from async() until get() returns, with a lane that still looks for work.
#include <threadcount/pool.hpp>

#include <algorithm>
#include <atomic>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstddef>
#include <sched.h>
#include <vector>

namespace {

using threadcount::Pool;
using Clock = std::chrono::steady_clock;

/// A lane on the last CPU; the caller on the first one.
class Apart {
public:
        Apart() {
                sched_getaffinity(0, sizeof before_, &before_);
                std::vector<int> cpus;
                for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
                        if (CPU_ISSET(static_cast<std::size_t>(cpu), &before_))
                                cpus.push_back(cpu);
                lane_ = cpus.back();
                first_ = cpus.front();
        }
        ~Apart() { sched_setaffinity(0, sizeof before_, &before_); }
        Apart(const Apart&) = delete;
        Apart& operator=(const Apart&) = delete;

        [[nodiscard]] int lane() const { return lane_; }
        void stay() const {
                cpu_set_t one;
                CPU_ZERO(&one);
                CPU_SET(static_cast<std::size_t>(first_), &one);
                sched_setaffinity(0, sizeof one, &one);
        }

private:
        cpu_set_t before_{};
        int lane_ = 0;
        int first_ = 0;
};

/// The run's median and tail, without what the two looks at the clock cost.
template <class RoundTrip>
void measure(benchmark::State& state, const RoundTrip& round_trip) {
        std::vector<double> times;
        times.reserve(1 << 20);
        const auto timed = [&](const auto& what) {
                const auto start = Clock::now();
                what();
                return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
        };
        double clock = 1e9;
        for (int i = 0; i < 1000; i++)
                clock = std::min(clock, timed([] {}));
        for (auto _ : state)
                times.push_back(timed(round_trip) - clock);
        std::ranges::sort(times);
        const auto at = [&](double share) {
                return times[static_cast<std::size_t>(share * static_cast<double>(times.size()))];
        };
        state.counters["p50_ns"] = at(0.5);
        state.counters["p99_ns"] = at(0.99);
        state.counters["p999_ns"] = at(0.999);
}

void future_round_trip(benchmark::State& state) {
        const Apart apart;
        Pool pool({.cpus = {apart.lane()}});
        apart.stay();
        measure(state, [&] { pool.async([] { return 1; }).get(); });
}
BENCHMARK(future_round_trip);

/// The rest if there is no future: a flag on the caller's stack.
void flag_round_trip(benchmark::State& state) {
        const Apart apart;
        Pool pool({.cpus = {apart.lane()}});
        apart.stay();
        measure(state, [&] {
                std::atomic<bool> done{false};
                pool.submit([&] { done.store(true, std::memory_order_release); });
                while (!done.load(std::memory_order_acquire))
                        threadcount::pool::Machine::pause();
        });
}
BENCHMARK(flag_round_trip);

/// By a task that takes its own back.
void future_inside(benchmark::State& state) {
        const Apart apart;
        Pool pool({.cpus = {apart.lane()}});
        pool.async([&] {
                    for (auto _ : state)
                            benchmark::DoNotOptimize(pool.async([] { return 1; }).get());
            }).get();
}
BENCHMARK(future_inside);

}  // namespace
