// SPDX-License-Identifier: MIT
//
// A service whose answers need several equal pieces of work: all workers on one CPU, one on each,
// or where the kernel wants them.
#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <functional>
#include <latch>
#include <numeric>
#include <string>
#include <thread>
#include <threadcount/pool.hpp>
#include <vector>

#include "busy.hpp"
#include "pools/arguments.hpp"
#include "pools/clocks.hpp"
#include "pools/condition_pool.hpp"
#include "pools/cpus.hpp"
#include "program.hpp"

namespace pool {
namespace {

struct Options {
        std::string pool = "ours";
        std::string place = "spread";
        std::uint64_t requests = 100;
        std::uint64_t steps = 300'000;
        std::uint64_t gap_us = 1000;
        bool help = false;
};

constexpr const char* kHelp = R"(spread - a service on one CPU and on all

  --pool POOL     ours, threads: around a condition variable (default ours)
  --place PLACE   one: all workers on one CPU; spread: one on each (default); free: as the kernel
                  likes, threads only
  --requests N    1 to 10^6 (default 100)
  --steps N       of a piece, one or two ns each; a request has a piece for each CPU; 1 to 10^9
                  (default 300000)
  --gap-us N      between requests, 0 to 10^6 (default 1000)
  --help

There are as many workers as CPUs. It prints one JSON object. Exit status: 0; 1 if it could not be
done; 2 for bad options.
)";

std::string parse(std::span<char* const> arguments, Options& options) {
        examples::Arguments table;

        table.word("--pool", options.pool, {"ours", "threads"});
        table.word("--place", options.place, {"one", "spread", "free"});
        table.number("--requests", options.requests, 1, 1'000'000);
        table.number("--steps", options.steps, 1, 1'000'000'000);
        table.number("--gap-us", options.gap_us, 0, 1'000'000);
        table.flag("--help", options.help);
        if (auto error = table.parse(arguments); !error.empty())
                return error;
        if (options.pool == "ours" && options.place == "free")
                return "--place free: accepted with --pool threads only; ours has each worker stay "
                       "on its CPU";
        return {};
}

double answer_ms(const Options& options, std::size_t pieces, const Submit& submit) {
        std::latch left(static_cast<std::ptrdiff_t>(pieces));
        const examples::Stopwatch stopwatch;

        for (std::size_t i = 0; i < pieces; ++i)
                submit([&] {
                        stay_busy(options.steps);
                        left.count_down();
                });
        left.wait();
        return stopwatch.elapsed_ms();
}

void measure(const Options& options, std::size_t pieces, const Submit& submit) {
        std::vector<double> times_ms;

        for (std::uint64_t i = 0; i < options.requests; ++i) {
                std::this_thread::sleep_for(std::chrono::microseconds{options.gap_us});
                times_ms.push_back(answer_ms(options, pieces, submit));
        }
        std::ranges::sort(times_ms);
        const auto sum_ms = std::accumulate(times_ms.begin(), times_ms.end(), 0.0);
        std::printf("{\"pool\":\"%s\",\"place\":\"%s\",\"pieces\":%zu,\"requests\":%" PRIu64
                    ",\"mean_ms\":%.4f,\"median_ms\":%.4f,\"p99_ms\":%.4f}\n",
                    options.pool.c_str(), options.place.c_str(), pieces, options.requests,
                    sum_ms / static_cast<double>(times_ms.size()), times_ms[times_ms.size() / 2],
                    times_ms[times_ms.size() * 99 / 100]);
}

void run(const Options& options) {
        const auto cpus = examples::cpus_cores_first();
        const std::vector<int> one{cpus.front()};

        if (options.pool == "threads") {
                const auto places = options.place == "one"      ? one
                                    : options.place == "spread" ? cpus
                                                                : std::vector<int>{};
                examples::ConditionPool pool(cpus.size(), places);
                measure(options, cpus.size(),
                        [&](std::function<void()> piece) { pool.submit(std::move(piece)); });
                return;
        }
        threadcount::Pool pool({.cpus = cpus});
        if (options.place == "one")
                pool.set_mask(one);
        measure(options, cpus.size(),
                [&](std::function<void()> piece) { pool.submit(std::move(piece)); });
}

}  // namespace
}  // namespace pool

int main(int argc, char** argv) {
        return pool::run_program<pool::Options>("spread", argc, argv, pool::kHelp, pool::parse,
                                                pool::run);
}
