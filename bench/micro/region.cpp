// SPDX-License-Identifier: MIT
// The cost of each parallel region for a program, in front of it and behind: the library's exported
// functions and the OpenMP adapter. With a lease where THREADCOUNT_SOCKET names a governor of
// policy fair.
#include <benchmark/benchmark.h>
#include <ctime>
#include <string_view>
#include <unistd.h>

// The adapter is for C, too.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#include <threadcount/openmp.h>
#pragma GCC diagnostic pop

namespace {

/// After a grant. Without one, `state` is told so.
threadcount_handle* governed(benchmark::State& state) {
        static threadcount_handle* const handle = [] {
                (void)threadcount_omp_open();
                return threadcount_default();
        }();
        for (int tries = 0; tries < 100; tries++) {
                char reason[128];
                (void)threadcount_threads(handle);
                if (threadcount_reason(handle, reason, sizeof(reason)) > 0 &&
                    std::string_view(reason).starts_with("governor: "))
                        return handle;
                ::usleep(20'000);
        }
        state.SkipWithError("no grant: start governord --socket PATH, set THREADCOUNT_SOCKET=PATH");
        return handle;
}

/// The least that an exported function can cost: the call and one load.
void call_and_load(benchmark::State& state) {
        const auto* handle = governed(state);
        for (auto _ : state)
                benchmark::DoNotOptimize(threadcount_max(handle));
}

void threads(benchmark::State& state) {
        auto* handle = governed(state);
        for (auto _ : state)
                benchmark::DoNotOptimize(threadcount_threads(handle));
}

void share(benchmark::State& state) {
        auto* handle = governed(state);
        for (auto _ : state)
                benchmark::DoNotOptimize(threadcount_share(handle));
}

/// The least that a region's time can cost.
void two_clocks(benchmark::State& state) {
        for (auto _ : state) {
                timespec now{};
                benchmark::DoNotOptimize(::clock_gettime(CLOCK_MONOTONIC, &now));
                benchmark::DoNotOptimize(now);
                benchmark::DoNotOptimize(::clock_gettime(CLOCK_MONOTONIC, &now));
                benchmark::DoNotOptimize(now);
        }
}

void begin_and_end(benchmark::State& state) {
        auto* handle = governed(state);
        for (auto _ : state) {
                const auto threads = threadcount_region_begin(handle);
                benchmark::DoNotOptimize(threads);
                threadcount_region_end(handle, threads);
        }
}

/// Nothing has changed, so that OpenMP is not called to change it.
void openmp_update(benchmark::State& state) {
        auto* handle = governed(state);
        for (auto _ : state)
                benchmark::DoNotOptimize(threadcount_omp_update(handle));
}

void openmp_begin_and_end(benchmark::State& state) {
        auto* handle = governed(state);
        for (auto _ : state) {
                benchmark::DoNotOptimize(threadcount_omp_begin(handle));
                threadcount_omp_end(handle);
        }
}

/// The questions of the adapter to the runtime at each call: whether this is a region and how many
/// threads.
void openmp_questions(benchmark::State& state) {
        for (auto _ : state) {
                benchmark::DoNotOptimize(omp_get_level());
                benchmark::DoNotOptimize(omp_get_max_threads());
        }
}

BENCHMARK(call_and_load);
BENCHMARK(threads);
BENCHMARK(share);
BENCHMARK(two_clocks);
BENCHMARK(begin_and_end);
BENCHMARK(openmp_update);
BENCHMARK(openmp_begin_and_end);
BENCHMARK(openmp_questions);

}  // namespace
