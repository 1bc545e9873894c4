// SPDX-License-Identifier: MIT
// The cost of a timer for the thread that makes it, and how late it is.
#include <threadcount/pool.hpp>

#include <algorithm>
#include <atomic>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <random>
#include <sys/prctl.h>
#include <thread>
#include <vector>

namespace {

using threadcount::Pool;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// Beside state.range() others, and due after the first of them.
void add_and_cancel(benchmark::State& state) {
        Pool pool;
        pool.submit_after(1h, [] {});
        for (std::int64_t i = 0; i < state.range(); i++)
                pool.submit_after(2h + std::chrono::nanoseconds{i}, [] {});
        std::mt19937 random(1);
        for (auto _ : state) {
                const auto timer =
                        pool.submit_after(2h + std::chrono::nanoseconds{random()}, [] {});
                benchmark::DoNotOptimize(timer.cancel());
        }
}
BENCHMARK(add_and_cancel)->Arg(0)->Arg(1000)->Arg(1'000'000);

/// Without cancelling: the heap grows.
void add(benchmark::State& state) {
        Pool pool;
        pool.submit_after(1h, [] {});
        for (auto _ : state)
                pool.submit_after(2h, [] {});
}
BENCHMARK(add)->Iterations(1'000'000);

void report(benchmark::State& state, std::vector<double> late_us) {
        std::ranges::sort(late_us);
        const auto at = [&](double share) {
                return late_us[static_cast<std::size_t>(share *
                                                        static_cast<double>(late_us.size() - 1))];
        };
        state.counters["first_us"] = late_us.front();
        state.counters["p50_us"] = at(0.5);
        state.counters["p99_us"] = at(0.99);
}

double us_after(Clock::time_point due) {
        return std::chrono::duration<double, std::micro>(Clock::now() - due).count();
}

std::vector<Clock::time_point> random_deadlines() {
        std::mt19937 random(2);
        std::vector<Clock::time_point> dues(1000);
        const auto start = Clock::now() + 1ms;
        for (auto& due : dues)
                due = start + std::chrono::nanoseconds{random() % 1'000'000'000};
        return dues;
}

/// 1000 deadlines within a second: when their tasks begin.
void lateness(benchmark::State& state) {
        Pool pool;
        std::vector<double> late_us(1000);
        std::atomic<std::size_t> ran{0};
        for (auto _ : state) {
                for (const auto due : random_deadlines())
                        pool.submit_at(due, [&, due] {
                                const auto late = us_after(due);
                                late_us[ran.fetch_add(1)] = late;
                        });
                while (ran < late_us.size())
                        std::this_thread::sleep_for(1ms);
                pool.wait_idle();
        }
        report(state, late_us);
}
BENCHMARK(lateness)->Iterations(1)->Repetitions(3)->Unit(benchmark::kMillisecond);

/// The same by a thread that sleeps from one to the next, with the same timer slack: the floor.
void clock_nanosleep_lateness(benchmark::State& state) {
        prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
        std::vector<double> late_us;
        for (auto _ : state) {
                auto dues = random_deadlines();
                std::ranges::sort(dues);
                for (const auto due : dues) {
                        const auto ns = due.time_since_epoch().count();
                        const timespec at{ns / 1'000'000'000, ns % 1'000'000'000};
                        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
                        late_us.push_back(us_after(due));
                }
        }
        prctl(PR_SET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL);
        report(state, late_us);
}
BENCHMARK(clock_nanosleep_lateness)->Iterations(1)->Repetitions(3)->Unit(benchmark::kMillisecond);

}  // namespace
