// SPDX-License-Identifier: MIT
//
// The number of small tasks per second that one producer gets done: by lists and stages of waiting,
// by a usual pool, and by threadcount::Pool with its settings.
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <threadcount/pool.hpp>
#include <vector>

#include "busy.hpp"
#include "list_pool.hpp"
#include "pools/arguments.hpp"
#include "pools/clocks.hpp"
#include "pools/condition_pool.hpp"
#include "pools/cpus.hpp"
#include "program.hpp"

namespace pool {
namespace {

struct Options {
        std::string pool = "ours";
        std::uint64_t workers = 2;
        std::uint64_t workers_per_list = 1;
        std::string stages = "sleep";
        std::uint64_t pauses = 200;
        std::uint64_t yield_us = 100;
        std::uint64_t capacity = 1000;
        std::uint64_t slow = 1'000'000;
        std::uint64_t spin_us = 30;
        std::string when_full = "block";
        std::string how = "submit";
        std::uint64_t steps = 3000;
        std::uint64_t run_ms = 500;
        bool help = false;
};

constexpr const char* kHelp = R"(lists - small tasks per second, from one producer

  --pool POOL             ours, lists, mutex (default ours)
  --workers N             1 to 4096 (default 2); ours has one for each CPU at most
  --steps N               of a task, one or two ns each, 1 to 10^9 (default 3000)
  --run-ms N              how long tasks are submitted, 1 to 100000 (default 500)
  --capacity N            tasks that may wait, 1 to 10^6 (default 1000)
lists:
  --workers-per-list N    1 to 4096 (default 1)
  --stages S              pause, yield (after that), sleep (after both; default),
                          learned (the same, and yields only where they have paid)
  --slow N                from so many waiting tasks on the producer yields once for
                          each, 1 to 10^6 (default 10^6)
  --pauses N              1 to 10^6 (default 200)
  --yield-us N            0 to 10^6 (default 100)
ours:
  --spin-us N             0 to 10^6 (default 30)
  --when-full W           block, run: in the producer (default block)
  --how H                 submit, addressed: each task is for one CPU (default submit)
  --help

It prints one JSON object. Exit status: 0; 1 if it could not be done; 2 for bad options.
)";

std::string parse(std::span<char* const> arguments, Options& options) {
        examples::Arguments table;

        table.word("--pool", options.pool, {"ours", "lists", "mutex"});
        table.number("--workers", options.workers, 1, 4096);
        table.number("--workers-per-list", options.workers_per_list, 1, 4096);
        table.word("--stages", options.stages, {"pause", "yield", "sleep", "learned"});
        table.number("--pauses", options.pauses, 1, 1'000'000);
        table.number("--yield-us", options.yield_us, 0, 1'000'000);
        table.number("--slow", options.slow, 1, 1'000'000);
        table.number("--capacity", options.capacity, 1, 1'000'000);
        table.number("--spin-us", options.spin_us, 0, 1'000'000);
        table.word("--when-full", options.when_full, {"block", "run"});
        table.word("--how", options.how, {"submit", "addressed"});
        table.number("--steps", options.steps, 1, 1'000'000'000);
        table.number("--run-ms", options.run_ms, 1, 100'000);
        table.flag("--help", options.help);
        return table.parse(arguments);
}

/// Submits for so long; what is done by then counts.
void measure(const Options& options, const Submit& submit) {
        std::atomic<std::uint64_t> done{0};
        const auto task = [steps = options.steps, &done] {
                stay_busy(steps);
                done.fetch_add(1, std::memory_order_relaxed);
        };
        std::uint64_t submitted = 0;
        const examples::Stopwatch stopwatch;

        while (stopwatch.elapsed_ms() < static_cast<double>(options.run_ms)) {
                for (int i = 0; i < 16; ++i, ++submitted)
                        submit(task);
        }
        const auto elapsed_ms = stopwatch.elapsed_ms();
        const auto in_time = done.load(std::memory_order_relaxed);
        const auto cores = stopwatch.cpu_ms() / elapsed_ms;
        // The things that they refer to are here.
        while (done.load(std::memory_order_acquire) < submitted)
                std::this_thread::sleep_for(std::chrono::milliseconds{1});
        std::printf("{\"pool\":\"%s\",\"submitted\":%" PRIu64 ",\"done\":%" PRIu64
                    ",\"tasks_per_s\":%.0f,\"cores\":%.3f}\n",
                    options.pool.c_str(), submitted, in_time,
                    static_cast<double>(in_time) / elapsed_ms * 1e3, cores);
}

void measure_lists(const Options& options) {
        ListPool pool({.workers = options.workers,
                       .workers_per_list = options.workers_per_list,
                       .capacity = options.capacity,
                       .slow = options.slow,
                       .stages = options.stages == "pause"     ? Stages::Pause
                                 : options.stages == "yield"   ? Stages::PauseYield
                                 : options.stages == "learned" ? Stages::Learned
                                                               : Stages::PauseYieldSleep,
                       .pauses = static_cast<unsigned>(options.pauses),
                       .yield_us = static_cast<unsigned>(options.yield_us)});

        measure(options, [&pool](std::function<void()> task) { pool.submit(std::move(task)); });
}

/// The capacity by a counter that the producer yields for.
void measure_mutex(const Options& options) {
        std::atomic<std::uint64_t> waiting{0};
        examples::ConditionPool pool(options.workers);

        measure(options, [&](std::function<void()> task) {
                while (waiting.load(std::memory_order_relaxed) >= options.capacity)
                        std::this_thread::yield();
                waiting.fetch_add(1, std::memory_order_relaxed);
                pool.submit([&waiting, task = std::move(task)] {
                        waiting.fetch_sub(1, std::memory_order_relaxed);
                        task();
                });
        });
}

void measure_ours(const Options& options) {
        const auto cpus = examples::cpus_cores_first(options.workers);
        threadcount::Pool pool({.cpus = cpus,
                                .capacity = options.capacity,
                                .lane_capacity = options.capacity,
                                .spin = std::chrono::microseconds{options.spin_us},
                                .when_full = options.when_full == "run"
                                                     ? threadcount::WhenFull::RunInCaller
                                                     : threadcount::WhenFull::Block});
        std::size_t turn = 0;

        if (options.how == "submit")
                measure(options, [&](std::function<void()> task) { pool.submit(std::move(task)); });
        else
                measure(options, [&](std::function<void()> task) {
                        if (!pool.submit_to(cpus[turn++ % cpus.size()], task))
                                pool.submit(std::move(task));
                });
}

void run(const Options& options) {
        if (options.pool == "lists")
                measure_lists(options);
        else if (options.pool == "mutex")
                measure_mutex(options);
        else
                measure_ours(options);
}

}  // namespace
}  // namespace pool

int main(int argc, char** argv) {
        return pool::run_program<pool::Options>("lists", argc, argv, pool::kHelp, pool::parse,
                                                pool::run);
}
